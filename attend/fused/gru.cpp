#include "attend/fused/gru.h"

#include <algorithm>

#include "attend/kernels/activation.h"
#include "attend/kernels/gru.h"

namespace attend::fused {

template <class T>
GruTrace<T> Gru<T>::trace(const Pass<T>& pass, int64_t rows) const {
  const int64_t h = width();
  if (!pass.learns) return {.rows = pass.take(rows, h)};
  return {pass.take(rows, h), pass.take(rows, 2 * h), pass.take(rows, h), pass.take(rows, h),
          pass.take(rows, h)};
}

template <class T>
void Gru<T>::step(const Pass<T>& pass, int64_t row, int64_t n, const T* gates, T* state,
                  T* products, const GruTrace<T>& trace, bool from_zero) const {
  const int64_t h = width();
  if (from_zero)
    std::fill_n(products, n * 3 * h, T(0));
  else
    hidden_.forward(pass, Rows<const T>(state, n, h), Rows<T>(products, n, 3 * h));
  const auto at = [&](T* kept, int64_t width) {
    return kept == nullptr ? nullptr : kept + row * width;
  };
  kernels::gru_forward(kernels::GruForwardRows<T>{
      gates, products, pass.parameters + bias_, state, at(trace.rows, h), at(trace.previous, h),
      at(trace.gates, 2 * h), at(trace.recurrent, h), at(trace.candidate, h), n, h});
}

template <class T>
void Gru<T>::forward(const Pass<T>& pass, const TimeMajor& layout, const T* gates, T* state,
                     bool from_zero, const GruTrace<T>& trace) const {
  T* products = pass.take(layout.size(), 3 * width());
  for (int64_t t = 0; t < layout.steps(); ++t) {
    const int64_t row = layout.starts[static_cast<size_t>(t)];
    step(pass, row, layout.live[static_cast<size_t>(t)], gates + row * 3 * width(), state, products,
         trace, from_zero && t == 0);
  }
}

template <class T>
void Gru<T>::step_back(const Pass<T>& pass, int64_t row, int64_t n, T* d_state,
                       const GruTrace<T>& trace, const Gradient& gradient, bool from_zero) const {
  const int64_t h = width();
  T* d_hidden = gradient.of_hidden + row * 3 * h;
  kernels::gru_backward(kernels::GruBackwardRows<T>{
      trace.previous + row * h, trace.gates + row * 2 * h, trace.recurrent + row * h,
      trace.candidate + row * h, d_state, gradient.of_input + row * 3 * h, d_hidden, n, h});
  if (!from_zero)
    hidden_.backward_input(pass, Rows<const T>(d_hidden, n, 3 * h), Rows<T>(d_state, n, h), true);
}

template <class T>
void Gru<T>::backward_weight(const Pass<T>& pass, int64_t rows, const GruTrace<T>& trace,
                             const Gradient& gradient, int64_t zeros) const {
  const int64_t h = width();
  hidden_.backward_weight(pass,
                          Rows<const T>(gradient.of_hidden + zeros * 3 * h, rows - zeros, 3 * h),
                          Rows<const T>(trace.previous + zeros * h, rows - zeros, h));
  sum_rows(Rows<const T>(gradient.of_hidden, rows, 3 * h), pass.gradients + bias_);
}

template <class T>
const T* Gru<T>::backward(const Pass<T>& pass, const TimeMajor& layout, const GruTrace<T>& trace,
                          const T* d_rows, T* d_state, bool from_zero) const {
  const Gradient kept = gradient(pass, layout.rows());
  for (int64_t t = layout.steps(); t-- > 0;) {
    const int64_t row = layout.starts[static_cast<size_t>(t)];
    const int64_t n = layout.live[static_cast<size_t>(t)];
    if (d_rows != nullptr) kernels::add_to(d_state, d_rows + row * width(), n * width());
    step_back(pass, row, n, d_state, trace, kept, from_zero && t == 0);
  }
  backward_weight(pass, layout.rows(), trace, kept,
                  from_zero && layout.steps() > 0 ? layout.live.front() : 0);
  return kept.of_input;
}

template class Gru<float>;
template class Gru<double>;

}  // namespace attend::fused
