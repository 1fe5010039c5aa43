// Dropout's multiplier of a row, vector by vector, for the kernels. Included once a target.
#if defined(ATTEND_KERNELS_DROPOUT) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_DROPOUT
#undef ATTEND_KERNELS_DROPOUT
#else
#define ATTEND_KERNELS_DROPOUT
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// core::mix32 of each lane.
template <class D32>
HWY_INLINE hn::Vec<D32> Mix32(D32 d, hn::Vec<D32> x) {
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  x = hn::Mul(x, hn::Set(d, 0x7FEB352Du));
  x = hn::Xor(x, hn::ShiftRight<15>(x));
  x = hn::Mul(x, hn::Set(d, 0x846CA68Bu));
  return hn::Xor(x, hn::ShiftRight<16>(x));
}

// Where core::dropout_keeps with that hash.
template <class D>
HWY_INLINE hn::Mask<D> DropoutKeeps(D d, hn::Vec<hn::Rebind<uint32_t, D>> hash,
                                    uint32_t threshold) {
  const hn::Rebind<uint32_t, D> d32;
  const auto mixed = Mix32(d32, hash), bound = hn::Set(d32, threshold);
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::Not(hn::RebindMask(d, hn::Lt(mixed, bound)));
  } else {
    const hn::Rebind<uint64_t, D> d64;
    return hn::Not(hn::RebindMask(d, hn::Lt(hn::PromoteTo(d64, mixed), hn::PromoteTo(d64, bound))));
  }
}

constexpr uint32_t kDropoutColumn = 0x9E3779B9u;

// Lane i has i 0x9E3779B9, which it adds to that of its vector's first column. (Iota, which this
// version of Highway makes number by number, took three times what the rest of a draw takes.)
template <class D32>
HWY_INLINE hn::Vec<D32> LaneProducts(D32 d) {
  alignas(64) static constexpr uint32_t kProducts[16] = {
      0x00000000, 0x9E3779B9, 0x3C6EF372, 0xDAA66D2B, 0x78DDE6E4, 0x1715609D,
      0xB54CDA56, 0x5384540F, 0xF1BBCDC8, 0x8FF34781, 0x2E2AC13A, 0xCC623AF3,
      0x6A99B4AC, 0x08D12E65, 0xA708A81E, 0x454021D7};
  return hn::Load(d, kProducts);
}

// Where core::dropout_keeps(key, column + lane, threshold).
template <class D>
HWY_INLINE hn::Mask<D> DropoutKeeps(D d, uint32_t key, int64_t column, uint32_t threshold) {
  const hn::Rebind<uint32_t, D> d32;
  const auto first = hn::Set(d32, static_cast<uint32_t>(column) * kDropoutColumn);
  return DropoutKeeps(d, hn::Xor(hn::Set(d32, key), hn::Add(first, LaneProducts(d32))), threshold);
}

// x times the multiplier, which is `kept` or 0; what is dropped is 0 whatever x is.
template <class D>
HWY_INLINE hn::Vec<D> Dropped(D d, hn::Vec<D> x, uint32_t key, int64_t column, uint32_t threshold,
                              hn::TFromD<D> kept) {
  return hn::IfThenElseZero(DropoutKeeps(d, key, column, threshold), hn::Mul(x, hn::Set(d, kept)));
}

// The same for one column of as many rows as there are lanes.
template <class D>
HWY_INLINE hn::Vec<D> DroppedAt(D d, hn::Vec<D> x, hn::Vec<hn::Rebind<uint32_t, D>> keys,
                                int64_t column, uint32_t threshold, hn::TFromD<D> kept) {
  const hn::Rebind<uint32_t, D> d32;
  const auto hash = hn::Xor(keys, hn::Set(d32, static_cast<uint32_t>(column) * kDropoutColumn));
  return hn::IfThenElseZero(DropoutKeeps(d, hash, threshold), hn::Mul(x, hn::Set(d, kept)));
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
