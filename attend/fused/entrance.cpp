#include "attend/fused/entrance.h"

#include <algorithm>
#include <cmath>

#include "attend/fused/dropout.h"
#include "attend/kernels/activation.h"

namespace attend::fused {

template <class T>
T Entrance<T>::scale() const {
  return static_cast<T>(std::sqrt(static_cast<double>(width())));
}

template <class T>
typename Entrance<T>::Trace Entrance<T>::forward(const Pass<T>& pass, const SentenceRows& rows,
                                                 const T* fixed) const {
  const int64_t n = rows.rows(), w = width();
  const Trace trace{pass.take(n, w), dropout_keys(pass, places_.site, rows.numbers)};
  const T* table = pass.parameters + places_.embedding.offset;
  const T* learned = places_.learned ? pass.parameters + places_.learned->offset : nullptr;
  const T factor = scale();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t t = rows.positions[static_cast<size_t>(i)];
    const T* token = table + rows.ids[static_cast<size_t>(i)] * w;
    const T* position = learned != nullptr ? learned + learned_row(t) * w
                        : fixed != nullptr ? fixed + t * w
                                           : nullptr;
    T* out = trace.rows + i * w;
    if (position == nullptr)
      std::fill_n(out, w, T(0));
    else
      std::copy_n(position, w, out);
    kernels::add_to(out, token, w, factor);
  }
  drop_rows(pass, trace.keys, Rows<T>(trace.rows, n, w), Rows<T>(trace.rows, n, w));
  return trace;
}

template <class T>
void Entrance<T>::backward(const Pass<T>& pass, const SentenceRows& rows, const Trace& trace,
                           T* d) const {
  const int64_t n = rows.rows(), w = width();
  drop_rows(pass, trace.keys, Rows<T>(d, n, w), Rows<T>(d, n, w));
  T* d_table = pass.gradients + places_.embedding.offset;
  if (!places_.tied) std::fill_n(d_table, places_.embedding.outputs * w, T(0));
  const T factor = scale();
  for (int64_t i = 0; i < n; ++i)
    kernels::add_to(d_table + rows.ids[static_cast<size_t>(i)] * w, d + i * w, w, factor);
  if (!places_.learned) return;
  T* d_learned = pass.gradients + places_.learned->offset;
  std::fill_n(d_learned, places_.learned->outputs * w, T(0));
  for (int64_t i = 0; i < n; ++i)
    kernels::add_to(d_learned + learned_row(rows.positions[static_cast<size_t>(i)]) * w, d + i * w,
                    w, T(1));
}

template class Entrance<float>;
template class Entrance<double>;

}  // namespace attend::fused
