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

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr int64_t LaneCount() {
  return static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}

// One side of a group of sentences: where their rows lie in the packed rows. Lanes without a
// sentence have length 0.
template <class T>
struct LaneSentences {
  int64_t first[LaneCount<T>()];
  int64_t length[LaneCount<T>()];
  int64_t shortest = 0, longest = 0;
};

// Where row t of each sentence begins, (longest, lanes), rows being `stride` apart; beyond its end,
// where another of its rows does, or the very first one.
template <class T>
HWY_INLINE void FillStarts(const LaneSentences<T>& side, int64_t stride, int64_t* starts) {
  for (int64_t t = 0; t < side.longest; ++t)
    for (int64_t l = 0; l < LaneCount<T>(); ++l) {
      const int64_t last = std::max<int64_t>(side.length[l] - 1, 0);
      *starts++ = (side.length[l] == 0 ? 0 : side.first[l] + std::min(t, last)) * stride;
    }
}

#if HWY_TARGET != HWY_SCALAR
// Features that are moved at a time: a block of 16 bytes of each row.
template <class T>
constexpr int64_t BlockFeatures() {
  return 16 / sizeof(T);
}

// One vector from the blocks at x + starts[0], x + starts[features of a block], ..., or back.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const T* x, const int64_t* starts) {
  if constexpr (sizeof(T) * hn::MaxLanes(d) <= 16) {
    return hn::LoadU(d, x + *starts);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadBlocks(half, x, starts + hn::MaxLanes(half)),
                       LoadBlocks(half, x, starts));
  }
}

// Only blocks whose lane is in `real`, unless kAll.
template <bool kAll, class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreBlocks(hn::Vec<D> v, D d, T* x, const int64_t* starts, const bool* real) {
  if constexpr (sizeof(T) * hn::MaxLanes(d) <= 16) {
    if (kAll || *real) hn::StoreU(v, d, x + *starts);
  } else {
    const hn::Half<D> half;
    constexpr size_t kHalf = hn::MaxLanes(half);
    StoreBlocks<kAll>(hn::LowerHalf(half, v), half, x, starts, real);
    StoreBlocks<kAll>(hn::UpperHalf(half, v), half, x, starts + kHalf, real + kHalf);
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

// to[f][lane] = x[starts[lane] + f]
template <class T>
HWY_INLINE void GatherFeatures(const T* x, const int64_t* starts, int64_t width, T* to) {
  constexpr int64_t kLanes = LaneCount<T>();
  int64_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  constexpr int64_t kBlock = BlockFeatures<T>();
  for (; f + kBlock <= width; f += kBlock, to += kBlock * kLanes) {
    hn::Vec<decltype(d)> v[kBlock];
#pragma GCC unroll 4
    for (int64_t r = 0; r < kBlock; ++r) v[r] = LoadBlocks(d, x + f, starts + r);
    TransposeBlocks(d, v);
#pragma GCC unroll 4
    for (int64_t r = 0; r < kBlock; ++r) hn::StoreU(v[r], d, to + r * kLanes);
  }
#endif
  for (; f < width; ++f, to += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) to[l] = x[starts[l] + f];
}

// x[starts[lane] + f] = from[f][lane] where the lane is real, or kAll.
template <bool kAll, class T>
HWY_INLINE void ScatterFeatures(const T* from, const int64_t* starts, const bool* real,
                                int64_t width, T* x) {
  constexpr int64_t kLanes = LaneCount<T>();
  int64_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  constexpr int64_t kBlock = BlockFeatures<T>();
  for (; f + kBlock <= width; f += kBlock, from += kBlock * kLanes) {
    hn::Vec<decltype(d)> v[kBlock];
#pragma GCC unroll 4
    for (int64_t r = 0; r < kBlock; ++r) v[r] = hn::LoadU(d, from + r * kLanes);
    TransposeBlocks(d, v);
#pragma GCC unroll 4
    for (int64_t r = 0; r < kBlock; ++r) StoreBlocks<kAll>(v[r], d, x + f, starts + r, real + r);
  }
#endif
  for (; f < width; ++f, from += kLanes)
    for (int64_t l = 0; l < kLanes; ++l)
      if (kAll || real[l]) x[starts[l] + f] = from[l];
}

// Rows of many sentences are no stream that a processor foresees.
template <class T>
HWY_INLINE void PrefetchRows(const T* x, const int64_t* starts) {
  for (int64_t l = 0; l < LaneCount<T>(); ++l) hwy::Prefetch(x + starts[l]);
}

// to (longest, width, lanes) = rows of x; finite numbers behind a sentence's end.
template <class T>
HWY_INLINE void GatherRows(const T* x, const int64_t* starts, const LaneSentences<T>& side,
                           int64_t width, T* to) {
  constexpr int64_t kLanes = LaneCount<T>();
  for (int64_t t = 0; t < side.longest; ++t) {
    if (t + 1 < side.longest) PrefetchRows(x, starts + (t + 1) * kLanes);
    GatherFeatures(x, starts + t * kLanes, width, to + t * width * kLanes);
  }
}

// And back, as far as the sentences go.
template <class T>
HWY_INLINE void ScatterRows(const T* from, const int64_t* starts, const LaneSentences<T>& side,
                            int64_t width, T* x) {
  constexpr int64_t kLanes = LaneCount<T>();
  bool real[kLanes] = {};
  int64_t t = 0;
  for (; t < side.shortest; ++t) {
    if (t + 1 < side.longest) PrefetchRows(x, starts + (t + 1) * kLanes);
    ScatterFeatures<true>(from + t * width * kLanes, starts + t * kLanes, real, width, x);
  }
  for (; t < side.longest; ++t) {
    for (int64_t l = 0; l < kLanes; ++l) real[l] = t < side.length[l];
    ScatterFeatures<false>(from + t * width * kLanes, starts + t * kLanes, real, width, x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();
#endif
