#include "attend/layers/norm.h"

#include <ATen/TensorOperators.h>

namespace attend {

Norm::Norm(const ParameterScope& scope, const Options& options) {
  if (options.kind == NormKind::kRms)
    norm_ = RmsNorm(scope, {.width = options.width, .epsilon = options.epsilon});
  else
    norm_ = LayerNorm(scope, {.width = options.width, .epsilon = options.epsilon});
}

at::Tensor Norm::of_sum(const at::Tensor& x, const at::Tensor& change,
                        const ops::ResidualNormOptions& options) const {
  if (const auto* layer = std::get_if<LayerNorm>(&norm_)) return layer->of_sum(x, change, options);
  return (*this)(x + ops::dropout(change, options.dropout, options.site, options.rows));
}

}  // namespace attend
