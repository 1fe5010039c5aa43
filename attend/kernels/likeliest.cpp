#include "attend/kernels/likeliest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/likeliest.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE T Greatest(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const T least = -std::numeric_limits<T>::infinity();
  auto greatest = hn::Set(d, least);
  ForPaddedVectors<T>(n, least, [&](int64_t j, const auto&, const auto& pad, const auto&) HWY_ATTR {
    greatest = hn::Max(greatest, pad(x + j));
  });
  return hn::GetLane(hn::MaxOfLanes(d, greatest));
}

// The first column that equals `value`, or n.
template <class T>
HWY_INLINE int64_t FirstEqual(const T* x, int64_t n, T value) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const intptr_t lane = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, x + j), hn::Set(d, value)));
    if (lane >= 0) return j + lane;
  }
  while (j < n && x[j] != value) ++j;
  return j;
}

template <class T>
HWY_INLINE double Exponentials(const T* x, int64_t n, T shift) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  ForPaddedVectors<T>(n, -std::numeric_limits<T>::infinity(),
                      [&](int64_t j, const auto&, const auto& pad, const auto&) HWY_ATTR {
                        sum = hn::Add(sum, FastExp(d, hn::Sub(pad(x + j), hn::Set(d, shift))));
                      });
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

template <class T>
void Rows(const LikeliestRows<T>& p) {
  constexpr T lowest = std::numeric_limits<T>::lowest();
  for (int64_t i = 0; i < p.rows; ++i) {
    const T* x = p.logits + i * p.stride;
    Likeliest<T>& found = p.found[i];
    const T greatest = Greatest(x, p.columns);
    if (greatest > found.greatest) {
      found.sum *= std::exp(static_cast<double>(found.greatest - greatest));
      found.greatest = greatest;
      found.column = static_cast<int32_t>(p.first + FirstEqual(x, p.columns, greatest));
    }
    // Where there is -infinity alone, nothing can be shifted by it: the exponentials are 0, or NaN.
    found.sum += Exponentials(x, p.columns, std::max(found.greatest, lowest));
  }
}

void RowsF32(const LikeliestRows<float>& p) { Rows(p); }
void RowsF64(const LikeliestRows<double>& p) { Rows(p); }

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(RowsF32);
HWY_EXPORT(RowsF64);
void likeliest(const LikeliestRows<float>& p) { HWY_DYNAMIC_DISPATCH(RowsF32)(p); }
void likeliest(const LikeliestRows<double>& p) { HWY_DYNAMIC_DISPATCH(RowsF64)(p); }
}  // namespace attend::kernels
#endif
