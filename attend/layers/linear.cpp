#include "attend/layers/linear.h"

#include <ATen/ops/linear.h>

namespace attend {

Linear::Linear(const ParameterScope& scope, const Options& options)
    : weight_(scope.add("weight", {options.outputs, options.inputs}, options.init)) {
  if (options.bias) bias_ = scope.add("bias", {options.outputs}, Init::kZeros);
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  return bias_ ? at::linear(x, *weight_, *bias_) : at::linear(x, *weight_);
}

}  // namespace attend
