#include "attend/layers/residual_norm.h"

#include <ATen/TensorOperators.h>

namespace attend {

ResidualNorm::ResidualNorm(const ParameterScope& scope, const Options& options)
    : norm_(scope, {.width = options.width, .kind = options.kind}),
      first_(options.first),
      site_(scope.site("residual")) {}

at::Tensor ResidualNorm::operator()(const at::Tensor& x,
                                    const std::function<at::Tensor(const at::Tensor&)>& sublayer,
                                    const ops::DropoutState& dropout,
                                    const std::vector<int64_t>& rows) const {
  if (first_) return x + ops::dropout(sublayer(norm_(x)), dropout, site_, rows);
  return norm_.of_sum(x, sublayer(x), {.dropout = dropout, .site = site_, .rows = rows});
}

}  // namespace attend
