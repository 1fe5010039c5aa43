// W_2 relu(W_1 x + b_1) + b_2 over rows (Vaswani et al. 2017, eq. 2).
#pragma once

#include "attend/fused/projections.h"

namespace attend::fused {

struct FeedForwardPlaces {
  LinearPlace inner, outer;
};

template <class T>
class FeedForward {
 public:
  FeedForward() = default;
  FeedForward(const FeedForwardPlaces& places, Panels<T>& panels)
      : inner_(places.inner.weight, places.inner.bias, panels),
        outer_(places.outer.weight, places.outer.bias, panels) {}

  /// x and y (N, D). Returns relu(W_1 x + b_1), (N, inner), for backward.
  T* forward(const Pass<T>& pass, Rows<const T> x, Rows<T> y) const;

  /// d_x = or += that of x, written after the last look at d_y.
  void backward(const Pass<T>& pass, Rows<const T> x, const T* inner, Rows<const T> d_y,
                Rows<T> d_x, bool add) const;

 private:
  Linear<T> inner_, outer_;
};

extern template class FeedForward<float>;
extern template class FeedForward<double>;

}  // namespace attend::fused
