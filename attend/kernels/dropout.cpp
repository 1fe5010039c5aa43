#include "attend/kernels/dropout.h"

#include <algorithm>

#include "attend/core/random.h"
#include "attend/kernels/for_types.h"

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

#if HWY_TARGET <= HWY_AVX3  // better targets have lower numbers; others multiply no 64 bits
// core::mix64 of each lane.
template <class D>
HWY_INLINE hn::Vec<D> Mix64(D d, hn::Vec<D> x) {
  x = hn::Add(x, hn::Set(d, 0x9E3779B97F4A7C15ull));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<30>(x)), hn::Set(d, 0xBF58476D1CE4E5B9ull));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<27>(x)), hn::Set(d, 0x94D049BB133111EBull));
  return hn::Xor(x, hn::ShiftRight<31>(x));
}

int64_t RowKeyVectors(uint64_t site, const int64_t* numbers, int64_t n, uint32_t* keys) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const hn::Rebind<int64_t, decltype(d)> signed_d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto number = hn::BitCast(d, hn::LoadU(signed_d, numbers + i));
    const auto key = Mix64(d, hn::Xor(hn::Set(d, site), Mix64(d, number)));
    hn::StoreU(hn::TruncateTo(d32, hn::ShiftRight<32>(key)), d32, keys + i);
  }
  return i;
}
#else
int64_t RowKeyVectors(uint64_t, const int64_t*, int64_t, uint32_t*) { return 0; }
#endif

void RowKeys(uint64_t site, const int64_t* numbers, int64_t n, uint32_t* keys) {
  for (int64_t i = RowKeyVectors(site, numbers, n, keys); i < n; ++i)
    keys[i] = static_cast<uint32_t>(core::combine(site, static_cast<uint64_t>(numbers[i])) >> 32);
}

ATTEND_FOR_TYPES(Drop);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(void, dropout, Drop, DropoutRows);
HWY_EXPORT(RowKeys);
void dropout_row_keys(uint64_t site, const int64_t* numbers, int64_t n, uint32_t* keys) {
  HWY_DYNAMIC_DISPATCH(RowKeys)(site, numbers, n, keys);
}
}  // namespace attend::kernels
#endif
