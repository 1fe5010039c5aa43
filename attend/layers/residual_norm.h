// Add & norm around a sub-layer (Vaswani et al. 2017, 3.1; before it: Xiong et al. 2020).
#pragma once

#include <functional>
#include <vector>

#include "attend/layers/norm.h"
#include "attend/ops/dropout.h"

namespace attend {

/// norm(x + dropout(sublayer(x))), or x + dropout(sublayer(norm(x))) with `first`.
class ResidualNorm {
 public:
  struct Options {
    int64_t width = 0;
    NormKind kind = NormKind::kLayer;
    bool first = false;  ///< normalise before the sub-layer instead of after the sum
  };

  ResidualNorm() = default;
  /// Registers what Norm does.
  ResidualNorm(const ParameterScope& scope, const Options& options);

  /// x (N, D) -> (N, D); `rows` (N) number x's rows for dropout, empty when it is off.
  at::Tensor operator()(const at::Tensor& x,
                        const std::function<at::Tensor(const at::Tensor&)>& sublayer,
                        const ops::DropoutState& dropout, const std::vector<int64_t>& rows) const;

 private:
  Norm norm_;
  bool first_ = false;
  uint32_t site_ = 0;
};

}  // namespace attend
