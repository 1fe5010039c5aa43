#include "attend/layers/layer_norm.h"

#include <ATen/ops/layer_norm.h>

namespace attend {

LayerNorm::LayerNorm(const ParameterScope& scope, const Options& options)
    : weight_(scope.add("weight", {options.width}, Init::kOnes)),
      bias_(scope.add("bias", {options.width}, Init::kZeros)),
      epsilon_(options.epsilon) {}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const {
  return at::layer_norm(x, {x.size(-1)}, *weight_, *bias_, epsilon_);
}

}  // namespace attend
