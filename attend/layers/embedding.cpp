#include "attend/layers/embedding.h"

#include <ATen/ops/embedding.h>

namespace attend {

Embedding::Embedding(const ParameterScope& scope, const Options& options)
    : weight_(scope.add("weight", {options.vocabulary, options.width}, options.init)) {}

at::Tensor Embedding::operator()(const at::Tensor& ids) const {
  return at::embedding(*weight_, ids);
}

}  // namespace attend
