// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last dimension (Ba et al. 2016,
// eq. 4; the variance divides by D).
#pragma once

#include "attend/ops/parameter_store.h"
#include "attend/ops/residual_norm.h"

namespace attend {

class LayerNorm {
 public:
  struct Options {
    int64_t width = 0;
    double epsilon = 1e-5;
  };

  LayerNorm() = default;
  /// Registers weight (D), ones, and bias (D), zeros.
  LayerNorm(const ParameterScope& scope, const Options& options);

  /// x (..., D) -> (..., D)
  at::Tensor operator()(const at::Tensor& x) const;

  /// Of x + dropout(change) in one op; options.epsilon is not read.
  at::Tensor of_sum(const at::Tensor& x, const at::Tensor& change,
                    ops::ResidualNormOptions options) const;

 private:
  Parameter weight_;
  Parameter bias_;
  double epsilon_ = 1e-5;
};

}  // namespace attend
