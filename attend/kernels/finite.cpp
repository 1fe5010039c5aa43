#include "attend/kernels/finite.h"

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/finite.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 0 x is 0, unless x is not finite: then it is NaN, and so is every sum with it.
template <class T>
bool AllFinite(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto zero = hn::Zero(d);
  auto even = zero, odd = zero;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even = hn::MulAdd(hn::LoadU(d, x + i), zero, even);
    odd = hn::MulAdd(hn::LoadU(d, x + i + lanes), zero, odd);
  }
  ForVectors<T>(n - i, [&](int64_t j, const auto& load, const auto&)
                           HWY_ATTR { even = hn::MulAdd(load(x + i + j), zero, even); });
  return hn::AllTrue(d, hn::Eq(hn::Add(even, odd), zero));
}

ATTEND_FOR_TYPES(AllFinite);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_EXPORT(AllFinite);
bool all_finite(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(AllFiniteF32)(x, n); }
bool all_finite(const double* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(AllFiniteF64)(x, n); }
}  // namespace attend::kernels
#endif
