// Position-wise feed-forward network: W_2 f(W_1 x + b_1) + b_2 (Vaswani et al. 2017, eq. 2).
#pragma once

#include "attend/layers/kinds.h"
#include "attend/ops/linear.h"

namespace attend {

class FeedForward {
 public:
  struct Options {
    int64_t width = 0;  ///< D, in and out
    int64_t inner = 0;
    Activation activation = Activation::kRelu;
  };

  FeedForward() = default;
  /// Registers inner.weight (inner, D), inner.bias, outer.weight (D, inner), outer.bias. SwiGLU has
  /// gate.weight (inner, D) and gate.bias too:
  /// outer(swish(gate(x)) * inner(x)), Shazeer 2020, eq. 6 (which has no biases).
  FeedForward(const ParameterScope& scope, const Options& options);

  /// x (..., D) -> (..., D)
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  Activation activation_ = Activation::kRelu;
  Linear inner_;
  Linear gate_;
  Linear outer_;
};

}  // namespace attend
