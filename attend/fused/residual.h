// Add & norm around a sub-layer (layers/residual_norm.h): norm(x + m f(x)), or x + m f(norm(x)).
#pragma once

#include <vector>

#include "attend/fused/dropout.h"
#include "attend/fused/norm.h"
#include "attend/kernels/activation.h"

namespace attend::fused {

struct ResidualPlace {
  NormPlace norm;
  bool first = false;  ///< normalise before the sub-layer
  uint32_t site = 0;   ///< of dropout
};

template <class T>
class Residual {
 public:
  Residual() = default;
  explicit Residual(const ResidualPlace& place)
      : norm_(place.norm), first_(place.first), site_(place.site) {}

  int64_t width() const { return norm_.width(); }

  struct Trace {
    const T* entered;  ///< (N, D): what f reads
    typename Norm<T>::Trace norm;
    const uint32_t* keys;
  };

  /// Returns y (N, D), a new one. f(entered, s) fills s; `numbers` are dropout's, of the n rows.
  template <class Sublayer>
  T* forward(const Pass<T>& pass, int64_t n, const std::vector<int64_t>& numbers, const T* x,
             Trace& trace, const Sublayer& f) const {
    trace.keys = dropout_keys(pass, site_, numbers);
    trace.entered = first_ ? normalised(pass, n, x, trace) : x;
    T* y = pass.take(n, norm_.width());
    f(trace.entered, y);
    if (first_) {
      drop_rows(pass, trace.keys, rows(y, n), rows(y, n));
      kernels::add_to(y, x, n * norm_.width());
    } else {
      trace.norm = norm_.forward(pass, n, x, y, trace.keys, y);
    }
    return y;
  }

  /// d (N, D) of y becomes that of x. f_back(entered, d_s, d_entered, add) is to take d_s back, and
  /// to write or add to d_entered after its last look at d_s, which may be the same memory.
  template <class SublayerBack>
  void backward(const Pass<T>& pass, int64_t n, const Trace& trace, T* d,
                const SublayerBack& f_back) const {
    const Workspace::Scope scope(pass.work);
    T* d_s = trace.keys == nullptr ? d : pass.take(n, norm_.width());
    if (first_) {
      drop_rows(pass, trace.keys, rows(d, n), rows(d_s, n));
      T* d_entered = pass.take(n, norm_.width());
      f_back(trace.entered, d_s, d_entered, false);
      norm_.backward(pass, n, trace.norm, d_entered, d, d, nullptr, nullptr);
    } else {
      norm_.backward(pass, n, trace.norm, d, nullptr, d, d_s == d ? nullptr : d_s, trace.keys);
      f_back(trace.entered, d_s, d, true);
    }
  }

 private:
  Rows<T> rows(T* x, int64_t n) const { return {x, n, norm_.width()}; }
  T* normalised(const Pass<T>& pass, int64_t n, const T* x, Trace& trace) const {
    T* y = pass.take(n, norm_.width());
    trace.norm = norm_.forward(pass, n, x, nullptr, nullptr, y);
    return y;
  }

  Norm<T> norm_;
  bool first_ = false;
  uint32_t site_ = 0;
};

}  // namespace attend::fused
