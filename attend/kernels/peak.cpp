#include "attend/kernels/peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/peak.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains hide the latency of two units; each is a name of its own, so that it stays in a
// register. Returns the operations; `sink` gets a number, so that they are not left out.
int64_t Burst(int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto m = hn::Set(d, 0.999f), a = hn::Set(d, 0.001f);
  auto x0 = hn::Iota(d, 0), x1 = hn::Iota(d, 1), x2 = hn::Iota(d, 2), x3 = hn::Iota(d, 3);
  auto x4 = hn::Iota(d, 4), x5 = hn::Iota(d, 5), x6 = hn::Iota(d, 6), x7 = hn::Iota(d, 7);
  auto x8 = hn::Iota(d, 8), x9 = hn::Iota(d, 9), x10 = hn::Iota(d, 10), x11 = hn::Iota(d, 11);
  for (int64_t i = 0; i < rounds; ++i) {
    x0 = hn::MulAdd(x0, m, a), x1 = hn::MulAdd(x1, m, a), x2 = hn::MulAdd(x2, m, a);
    x3 = hn::MulAdd(x3, m, a), x4 = hn::MulAdd(x4, m, a), x5 = hn::MulAdd(x5, m, a);
    x6 = hn::MulAdd(x6, m, a), x7 = hn::MulAdd(x7, m, a), x8 = hn::MulAdd(x8, m, a);
    x9 = hn::MulAdd(x9, m, a), x10 = hn::MulAdd(x10, m, a), x11 = hn::MulAdd(x11, m, a);
  }
  const auto low = hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)), hn::Add(x4, x5));
  const auto high = hn::Add(hn::Add(hn::Add(x6, x7), hn::Add(x8, x9)), hn::Add(x10, x11));
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
  return rounds * 12 * 2 * static_cast<int64_t>(hn::Lanes(d));
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(Burst);

double measured_peak(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  volatile float sink = 0.0F;
  double best = 0.0;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point burst = Clock::now();
    float sum = 0.0F;
    const auto operations = static_cast<double>(HWY_DYNAMIC_DISPATCH(Burst)(100000, &sum));
    best = std::max(best, operations / since(burst));
    sink = sink + sum;
  } while (since(begin) < seconds);
  return best;
}
}  // namespace attend::kernels
#endif
