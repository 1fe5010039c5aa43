// Several linear maps of the same rows, side by side: one product where their weights lie one
// behind the other.
#pragma once

#include <vector>

#include "attend/fused/linear.h"

namespace attend::fused {

/// A linear map's parameters; `bias` is an offset, or Linear::kNone.
struct LinearPlace {
  WeightPlace weight;
  int64_t bias = -1;
};

template <class T>
class Projections {
 public:
  Projections() = default;
  /// All with the same inputs, at least one.
  Projections(const std::vector<LinearPlace>& maps, Panels<T>& panels);

  int64_t outputs() const;  ///< of all together

  /// y (n, outputs) = [W_0 x + b_0, W_1 x + b_1, ...]
  void forward(const Pass<T>& pass, Rows<const T> x, Rows<T> y) const;
  /// d_x = or += that of all.
  void backward_input(const Pass<T>& pass, Rows<const T> d_y, Rows<T> d_x, bool add) const;
  void backward_weight(const Pass<T>& pass, Rows<const T> d_y, Rows<const T> x) const;

 private:
  std::vector<Linear<T>> products_;
};

/// Columns `first` .. first + width - 1.
template <class T>
Rows<T> columns(const Rows<T>& x, int64_t first, int64_t width) {
  return {x.data + first, x.count, width, x.stride};
}

extern template class Projections<float>;
extern template class Projections<double>;

}  // namespace attend::fused
