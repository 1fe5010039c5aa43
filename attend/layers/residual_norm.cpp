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
  const at::Tensor change = ops::dropout(sublayer(first_ ? norm_(x) : x), dropout, site_, rows);
  return first_ ? x + change : norm_(x + change);
}

}  // namespace attend
