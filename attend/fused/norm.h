// Layer normalisation of rows, of a residual sum or alone (kernels/residual_norm.h).
#pragma once

#include "attend/fused/pass.h"

namespace attend::fused {

/// Offsets of gain and bias (D).
struct NormPlace {
  int64_t gain = 0, bias = 0, width = 0;
};

template <class T>
class Norm {
 public:
  Norm() = default;
  explicit Norm(const NormPlace& place) : place_(place) {}

  int64_t width() const { return place_.width; }

  struct Trace {
    T* normalised;     ///< (N, D)
    T* inverse_sigma;  ///< (N): 1 / sqrt(variance + epsilon), "rstd" elsewhere
  };

  /// y = norm(x + m s), all (n, D) and contiguous; s null: norm(x). `keys` (n) are those of m, or
  /// null. y may be x or s.
  Trace forward(const Pass<T>& pass, int64_t n, const T* x, const T* s, const uint32_t* keys,
                T* y) const;

  /// From d_y: d_x = that of x, plus d_sum unless null, in the place of either; d_s, unless null,
  /// is m times it. Sets the parameters' gradients.
  void backward(const Pass<T>& pass, int64_t n, const Trace& trace, const T* d_y, const T* d_sum,
                T* d_x, T* d_s, const uint32_t* keys) const;

 private:
  NormPlace place_;
};

extern template class Norm<float>;
extern template class Norm<double>;

}  // namespace attend::fused
