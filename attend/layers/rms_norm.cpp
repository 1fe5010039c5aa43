#include "attend/layers/rms_norm.h"

#include <ATen/ops/rms_norm.h>

namespace attend {

RmsNorm::RmsNorm(const ParameterScope& scope, const Options& options)
    : weight_(scope.add("weight", {options.width}, Init::kOnes)), epsilon_(options.epsilon) {}

at::Tensor RmsNorm::operator()(const at::Tensor& x) const {
  return at::rms_norm(x, {x.size(-1)}, *weight_, epsilon_);
}

}  // namespace attend
