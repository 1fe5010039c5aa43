// What softmax needs of a row: its greatest number and the sum of exponentials. Included once a
// target.
#if defined(ATTEND_KERNELS_ROW_SUMS) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_ROW_SUMS
#undef ATTEND_KERNELS_ROW_SUMS
#else
#define ATTEND_KERNELS_ROW_SUMS
#endif

#include <cstdint>
#include <limits>

#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// -infinity where there is nothing; what is NaN may count for nothing.
template <class T>
HWY_INLINE T Greatest(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const T least = -std::numeric_limits<T>::infinity();
  auto greatest = hn::Set(d, least);
  ForPaddedVectors<T>(n, least, [&](int64_t j, const auto&, const auto& pad, const auto&) HWY_ATTR {
    greatest = hn::Max(pad(x + j), greatest);
  });
  return hn::GetLane(hn::MaxOfLanes(d, greatest));
}

// The sum of exp(x - shift), NaN if one is; they are kept in `to`, which may be x, or null. Where
// there is -infinity alone there is nothing to shift by: the lowest number stands for it, and 0 or
// NaN comes out.
template <class T>
HWY_INLINE double Exponentials(const T* x, int64_t n, T shift, T* to) {
  const hn::ScalableTag<T> d;
  constexpr T lowest = std::numeric_limits<T>::lowest();
  const auto by = hn::Set(d, shift < lowest ? lowest : shift);
  auto sum = hn::Zero(d);
  ForPaddedVectors<T>(n, -std::numeric_limits<T>::infinity(),
                      [&](int64_t j, const auto&, const auto& pad, const auto& store) HWY_ATTR {
                        const auto e = FastExp(d, hn::Sub(pad(x + j), by));
                        if (to != nullptr) store(e, to + j);
                        sum = hn::Add(sum, e);
                      });
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
