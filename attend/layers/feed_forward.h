// Position-wise feed-forward network: W_2 relu(W_1 x + b_1) + b_2 (Vaswani et al. 2017, eq. 2).
#pragma once

#include "attend/ops/linear.h"

namespace attend {

class FeedForward {
 public:
  struct Options {
    int64_t width = 0;  ///< D, in and out
    int64_t inner = 0;
  };

  FeedForward() = default;
  /// Registers inner.weight (inner, D), inner.bias, outer.weight (D, inner), outer.bias.
  FeedForward(const ParameterScope& scope, const Options& options);

  /// x (..., D) -> (..., D)
  at::Tensor operator()(const at::Tensor& x) const { return outer_(inner_(x).relu()); }

 private:
  Linear inner_;
  Linear outer_;
};

}  // namespace attend
