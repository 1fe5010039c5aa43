#include "attend/layers/layer_norm.h"

#include <utility>

namespace attend {

LayerNorm::LayerNorm(const ParameterScope& scope, const Options& options)
    : weight_(scope.add("weight", {options.width}, Init::kOnes)),
      bias_(scope.add("bias", {options.width}, Init::kZeros)),
      epsilon_(options.epsilon) {}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const { return of_sum(x, {}, {}); }

at::Tensor LayerNorm::of_sum(const at::Tensor& x, const at::Tensor& change,
                             ops::ResidualNormOptions options) const {
  options.epsilon = epsilon_;
  return ops::residual_norm({x, change, *weight_, *bias_}, options);
}

}  // namespace attend
