#include "attend/kernels/optimiser.h"

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/optimiser.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// low and high gain the squares of x's lower and upper half, in double.
template <class D, class V64>
HWY_INLINE void AddSquares(D d, hn::Vec<D> x, V64& low, V64& high) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    low = hn::MulAdd(x, x, low);
  } else {
    const hn::ScalableTag<double> d64;
#if HWY_TARGET == HWY_SCALAR  // one lane: there is no half
    const auto whole = hn::PromoteTo(d64, x);
    low = hn::MulAdd(whole, whole, low);
#else
    const hn::Half<D> half;
    const auto lower = hn::PromoteTo(d64, hn::LowerHalf(half, x));
    const auto upper = hn::PromoteTo(d64, hn::UpperHalf(half, x));
    low = hn::MulAdd(lower, lower, low);
    high = hn::MulAdd(upper, upper, high);
#endif
  }
}

template <class T>
double Sum(const SumParts<T>& p) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<double> d64;
  const auto scale = hn::Set(d, p.scale);
  auto low = hn::Zero(d64), high = hn::Zero(d64);
  ForVectors<T>(p.n, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    const int64_t i = p.begin + j;
    auto sum = load(p.parts[0] + i);
    for (int64_t k = 1; k < p.count; ++k) sum = hn::Add(sum, load(p.parts[k] + i));
    sum = hn::Mul(sum, scale);
    store(sum, p.total + i);
    AddSquares(d, sum, low, high);
  });
  return hn::GetLane(hn::SumOfLanes(d64, hn::Add(low, high)));
}

template <class T>
void Adam(const AdamUpdate<T>& p) {
  const hn::ScalableTag<T> d;
  const auto set = [&](double x) HWY_ATTR { return hn::Set(d, static_cast<T>(x)); };
  const auto scale = set(p.gradient_scale);
  const auto keep1 = set(p.beta1), take1 = set(1.0 - p.beta1);
  const auto keep2 = set(p.beta2), take2 = set(1.0 - p.beta2);
  const auto step = set(p.step_size), correction = set(p.root_correction), epsilon = set(p.epsilon);
  ForVectors<T>(p.n, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    const auto g = hn::Mul(load(p.gradient + j), scale);
    const auto m = hn::MulAdd(take1, g, hn::Mul(keep1, load(p.first + j)));
    const auto v = hn::MulAdd(hn::Mul(take2, g), g, hn::Mul(keep2, load(p.second + j)));
    const auto root = hn::MulAdd(hn::Sqrt(v), correction, epsilon);
    store(m, p.first + j);
    store(v, p.second + j);
    store(hn::Sub(load(p.parameters + j), hn::Div(hn::Mul(step, m), root)), p.parameters + j);
  });
}

ATTEND_FOR_TYPES(Sum);
ATTEND_FOR_TYPES(Adam);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(double, sum_parts, Sum, SumParts);
ATTEND_DISPATCH(void, adam_update, Adam, AdamUpdate);
}  // namespace attend::kernels
#endif
