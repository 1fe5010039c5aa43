#include "attend/kernels/dropout.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/dropout.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/dropout-inl.h"
#include "attend/kernels/for_vectors-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of one vector of columns: their part of the hash is made once.
template <class T, class Load, class Store>
HWY_INLINE void DropColumns(const DropoutRows<T>& p, int64_t first, int64_t end, int64_t j,
                            const Load& load, const Store& store) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const auto columns =
      hn::Add(hn::Set(d32, static_cast<uint32_t>(j) * kDropoutColumn), LaneProducts(d32));
  const auto kept = hn::Set(d, p.kept);
  const auto row = [&](int64_t i) HWY_ATTR {
    const auto keeps = DropoutKeeps(d, hn::Xor(hn::Set(d32, p.keys[i]), columns), p.threshold);
    const auto x = p.x == nullptr ? kept : hn::Mul(load(p.x + i * p.stride_x + j), kept);
    store(hn::IfThenElseZero(keeps, x), p.y + i * p.stride_y + j);
  };
  int64_t i = first;
  for (; i + 4 <= end; i += 4) {  // side by side: a hash is a chain
    row(i);
    row(i + 1);
    row(i + 2);
    row(i + 3);
  }
  for (; i < end; ++i) row(i);
}

template <class T>
void Drop(const DropoutRows<T>& p) {
  constexpr int64_t kRows = 64;  // stay in the cache from one vector of columns to the next
  for (int64_t i = 0; i < p.rows; i += kRows)
    ForVectors<T>(p.columns, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      DropColumns(p, i, std::min(p.rows, i + kRows), j, load, store);
    });
}

void DropF32(const DropoutRows<float>& p) { Drop(p); }
void DropF64(const DropoutRows<double>& p) { Drop(p); }

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(DropF32);
HWY_EXPORT(DropF64);
void dropout(const DropoutRows<float>& p) { HWY_DYNAMIC_DISPATCH(DropF32)(p); }
void dropout(const DropoutRows<double>& p) { HWY_DYNAMIC_DISPATCH(DropF64)(p); }
}  // namespace attend::kernels
#endif
