// x / sqrt(mean(x^2) + epsilon) * weight over the last dimension (Zhang & Sennrich 2019, eq. 4).
#pragma once

#include "attend/ops/parameter_store.h"

namespace attend {

class RmsNorm {
 public:
  struct Options {
    int64_t width = 0;
    double epsilon = 1e-5;
  };

  RmsNorm() = default;
  /// Registers weight (D), ones.
  RmsNorm(const ParameterScope& scope, const Options& options);

  /// x (..., D) -> (..., D)
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  Parameter weight_;
  double epsilon_ = 1e-5;
};

}  // namespace attend
