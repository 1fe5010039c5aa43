// y = x W^T + b over rows, and its gradients.
#pragma once

#include "attend/fused/pass.h"

namespace attend::fused {

/// Rows of a matrix, `stride` numbers apart. T may be const.
template <class T>
struct Rows {
  T* data;
  int64_t count;
  int64_t width;
  int64_t stride;

  Rows(T* data, int64_t count, int64_t width) : Rows(data, count, width, width) {}
  Rows(T* data, int64_t count, int64_t width, int64_t stride)
      : data(data), count(count), width(width), stride(stride) {}
  T* row(int64_t i) const { return data + i * stride; }
  operator Rows<const T>() const { return {data, count, width, stride}; }
};

template <class T>
class Linear {
 public:
  static constexpr int64_t kNone = -1;

  Linear() = default;
  /// `bias` is an offset in the flat buffer, or kNone.
  Linear(const WeightPlace& weight, int64_t bias, Panels<T>& panels)
      : weight_(weight), bias_(bias), panel_(panels.add(weight)) {}

  int64_t inputs() const { return weight_.inputs; }
  int64_t outputs() const { return weight_.outputs; }

  /// y (n, outputs) = or += x (n, inputs) W^T + b; the bias only without `add`.
  void forward(const Pass<T>& pass, Rows<const T> x, Rows<T> y, bool add = false,
               bool relu = false) const;

  /// The same without ReLU for the outputs first .. first + y.width - 1 alone; `first` is a
  /// multiple of 64.
  void forward_some(const Pass<T>& pass, Rows<const T> x, int64_t first, Rows<T> y) const;

  /// d_x (n, inputs) = or += d_y (n, outputs) W.
  void backward_input(const Pass<T>& pass, Rows<const T> d_y, Rows<T> d_x, bool add = false) const;

  /// dW = or += d_y^T x, and likewise db = the sum of d_y's rows, in the gradient buffer.
  void backward_weight(const Pass<T>& pass, Rows<const T> d_y, Rows<const T> x,
                       bool add = false) const;

 private:
  WeightPlace weight_;
  int64_t bias_ = kNone;
  size_t panel_ = 0;
};

/// sums[j] = or += the sum of column j.
template <class T>
void sum_rows(Rows<const T> x, T* sums, bool add = false);

extern template class Linear<float>;
extern template class Linear<double>;

}  // namespace attend::fused
