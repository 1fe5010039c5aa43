// Rows of several sentences side by side, a sentence a lane, and back: row t, feature f of all of
// them is one vector. Included once a target.
#if defined(ATTEND_KERNELS_LANE_ROWS) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_KERNELS_LANE_ROWS
#undef ATTEND_KERNELS_LANE_ROWS
#else
#define ATTEND_KERNELS_LANE_ROWS
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr int64_t LaneCount() {
  return static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}

// One side of a group of sentences: where their rows lie in the packed rows.
template <class T>
struct LaneSentences {
  int64_t first[LaneCount<T>()];
  int64_t length[LaneCount<T>()];
  int64_t longest = 0;
  bool even = true;  // all are as long as the longest
};

#if HWY_TARGET != HWY_SCALAR
// Features that are moved at a time: a block of 16 bytes of each row.
template <class T>
constexpr int64_t BlockFeatures() {
  return 16 / sizeof(T);
}

// Blocks of 16 bytes from rows[0], rows[blocks], rows[2 blocks], ... into one vector, or back.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const T* const* rows, int64_t feature) {
  if constexpr (sizeof(T) * hn::MaxLanes(d) <= 16) {
    return hn::LoadU(d, *rows + feature);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, rows + hn::MaxLanes(half), feature),
                       LoadBlocks(half, rows, feature));
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreBlocks(hn::Vec<D> v, D d, T* const* rows, int64_t feature) {
  if constexpr (sizeof(T) * hn::MaxLanes(d) <= 16) {
    if (*rows != nullptr) hn::StoreU(v, d, *rows + feature);
  } else {
    const hn::Half<D> half;
    StoreBlocks(hn::LowerHalf(half, v), half, rows, feature);
    StoreBlocks(hn::UpperHalf(half, v), half, rows + hn::MaxLanes(half), feature);
  }
}

// Transposes each block of 16 bytes, a square of numbers.
template <class D>
HWY_INLINE void TransposeBlocks(D d, hn::Vec<D>* v) {
  const auto a = hn::InterleaveLower(d, v[0], v[1]), b = hn::InterleaveUpper(d, v[0], v[1]);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    v[0] = a, v[1] = b;
  } else {
    const hn::Repartition<double, D> pairs;
    const auto c = hn::InterleaveLower(d, v[2], v[3]), e = hn::InterleaveUpper(d, v[2], v[3]);
    const auto lower = [&](const auto& x, const auto& y) HWY_ATTR {
      return hn::BitCast(d,
                         hn::InterleaveLower(pairs, hn::BitCast(pairs, x), hn::BitCast(pairs, y)));
    };
    const auto upper = [&](const auto& x, const auto& y) HWY_ATTR {
      return hn::BitCast(d,
                         hn::InterleaveUpper(pairs, hn::BitCast(pairs, x), hn::BitCast(pairs, y)));
    };
    v[0] = lower(a, c), v[1] = upper(a, c), v[2] = lower(b, e), v[3] = upper(b, e);
  }
}

#endif

// to[f][lane] = factor rows[lane][f]
template <class T>
HWY_INLINE void GatherFeatures(const T* const* rows, int64_t width, T factor, T* to) {
  constexpr int64_t kLanes = LaneCount<T>();
  int64_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  constexpr int64_t kBlock = BlockFeatures<T>();
  const auto by = hn::Set(d, factor);
  for (; f + kBlock <= width; f += kBlock, to += kBlock * kLanes) {
    hn::Vec<decltype(d)> v[kBlock];
    for (int64_t r = 0; r < kBlock; ++r) v[r] = LoadBlocks(d, rows + r, f);
    TransposeBlocks(d, v);
    for (int64_t r = 0; r < kBlock; ++r) hn::StoreU(hn::Mul(v[r], by), d, to + r * kLanes);
  }
#endif
  for (; f < width; ++f, to += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) to[l] = factor * rows[l][f];
}

// rows[lane][f] = factor from[f][lane]; rows that are null are left out.
template <class T>
HWY_INLINE void ScatterFeatures(const T* from, int64_t width, T factor, T* const* rows) {
  constexpr int64_t kLanes = LaneCount<T>();
  int64_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  constexpr int64_t kBlock = BlockFeatures<T>();
  const auto by = hn::Set(d, factor);
  for (; f + kBlock <= width; f += kBlock, from += kBlock * kLanes) {
    hn::Vec<decltype(d)> v[kBlock];
    for (int64_t r = 0; r < kBlock; ++r) v[r] = hn::Mul(hn::LoadU(d, from + r * kLanes), by);
    TransposeBlocks(d, v);
    for (int64_t r = 0; r < kBlock; ++r) StoreBlocks(v[r], d, rows + r, f);
  }
#endif
  for (; f < width; ++f, from += kLanes)
    for (int64_t l = 0; l < kLanes; ++l)
      if (rows[l] != nullptr) rows[l][f] = factor * from[l];
}

// to (longest, width, lanes) = factor x, with zeros behind a sentence's end. `zeros` has as many as
// a row.
template <class T>
HWY_INLINE void GatherRows(const T* x, int64_t stride, const LaneSentences<T>& side, int64_t width,
                           T factor, const T* zeros, T* to) {
  constexpr int64_t kLanes = LaneCount<T>();
  const T* rows[kLanes];
  for (int64_t t = 0; t < side.longest; ++t, to += width * kLanes) {
    for (int64_t l = 0; l < kLanes; ++l)
      rows[l] = t < side.length[l] ? x + (side.first[l] + t) * stride : zeros;
    GatherFeatures(rows, width, factor, to);
  }
}

template <class T>
HWY_INLINE void ScatterRows(const T* from, const LaneSentences<T>& side, int64_t width, T factor,
                            T* x, int64_t stride) {
  constexpr int64_t kLanes = LaneCount<T>();
  T* rows[kLanes];
  for (int64_t t = 0; t < side.longest; ++t, from += width * kLanes) {
    for (int64_t l = 0; l < kLanes; ++l)
      rows[l] = t < side.length[l] ? x + (side.first[l] + t) * stride : nullptr;
    ScatterFeatures(from, width, factor, rows);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
