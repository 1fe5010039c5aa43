#include "attend/kernels/likeliest.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/likeliest.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/row_sums-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first column that equals `value`, or n.
HWY_INLINE int64_t FirstEqual(const float* x, int64_t n, float value) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const intptr_t lane = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, x + j), hn::Set(d, value)));
    if (lane >= 0) return j + lane;
  }
  while (j < n && x[j] != value) ++j;
  return j;
}

void Rows(const LikeliestRows& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    const float* x = p.logits + i * p.stride;
    Likeliest& found = p.found[i];
    const float greatest = Greatest(x, p.columns);
    if (greatest > found.greatest) {
      found.sum *= std::exp(static_cast<double>(found.greatest - greatest));
      found.greatest = greatest;
      found.column = static_cast<int32_t>(p.first + FirstEqual(x, p.columns, greatest));
    }
    found.sum += Exponentials<float>(x, p.columns, found.greatest, nullptr);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(Rows);
void likeliest(const LikeliestRows& p) { HWY_DYNAMIC_DISPATCH(Rows)(p); }
}  // namespace attend::kernels
#endif
