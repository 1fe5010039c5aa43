#include "attend/kernels/masked_softmax.h"

#include <algorithm>
#include <limits>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/masked_softmax.cpp"
// clang-format off: the first compiles this file once a target
#include "hwy/foreach_target.h"
#include "attend/kernels/for_vectors-inl.h"
#include "attend/kernels/vector_math-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace attend::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Which of `count` lanes, at most all, are hidden.
template <class D>
HWY_INLINE hn::Mask<D> Hidden(D d, const bool* hidden, size_t count) {
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  const auto* bytes = reinterpret_cast<const uint8_t*>(hidden);
  hn::Vec<decltype(d8)> flags;
  if (count == hn::Lanes(d)) {
    flags = hn::LoadU(d8, bytes);
  } else {
    HWY_ALIGN uint8_t some[HWY_MAX_BYTES] = {};
    for (size_t i = 0; i < count; ++i) some[i] = bytes[i];
    flags = hn::Load(d8, some);
  }
  const auto wide = hn::PromoteTo(d32, flags);
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::RebindMask(d, hn::Ne(wide, hn::Zero(d32)));
  } else {
    const hn::Rebind<int64_t, D> d64;
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(d64, wide), hn::Zero(d64)));
  }
}

// body(j, s, store) over the first n columns, with s = -infinity where hidden or beyond them.
template <bool kHides, class T, class Body>
HWY_INLINE void ForScores(const T* scores, const bool* hidden, int64_t n, const Body& body) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T least = -std::numeric_limits<T>::infinity();
  ForPaddedVectors<T>(n, least,
                      [&](int64_t j, const auto&, const auto& pad, const auto& store) HWY_ATTR {
                        auto s = pad(scores + j);
                        if constexpr (kHides) {
                          const auto count = static_cast<size_t>(std::min(lanes, n - j));
                          s = hn::IfThenElse(Hidden(d, hidden + j, count), hn::Set(d, least), s);
                        }
                        body(j, s, store);
                      });
}

// A row with NaN (or infinity) in sight is NaN, but for what is hidden.
template <class T>
HWY_NOINLINE void Spoil(T* weights, const bool* hidden, int64_t n, T nan) {
  for (int64_t j = 0; j < n; ++j) weights[j] = hidden != nullptr && hidden[j] ? T(0) : nan;
}

template <bool kHides, class T>
HWY_INLINE void ForwardRow(const T* scores, T* weights, const bool* hidden, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto least = hn::Set(d, -std::numeric_limits<T>::infinity());
  auto greatest = least;
  ForScores<kHides>(scores, hidden, n, [&](int64_t, auto s, const auto&) HWY_ATTR {
    greatest = hn::Max(s, greatest);
  });
  const auto shift = hn::MaxOfLanes(d, greatest);
  auto sum = hn::Zero(d);
  ForScores<kHides>(scores, hidden, n, [&](int64_t j, auto s, const auto& store) HWY_ATTR {
    // Padding is apart from a visible -infinity where that is the greatest, and counts for nothing.
    const auto e = hn::IfThenZeroElse(hn::Eq(s, least), FastExp(d, hn::Sub(s, shift)));
    store(e, weights + j);
    sum = hn::Add(sum, e);
  });
  const T total = hn::GetLane(hn::SumOfLanes(d, sum));
  if (total != total) return Spoil(weights, hidden, n, total);
  const auto factor = hn::Set(d, total == 0 ? T(0) : 1 / total);
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store)
                       HWY_ATTR { store(hn::Mul(load(weights + j), factor), weights + j); });
}

template <class T>
void Forward(const MaskedSoftmaxRows<T>& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    const int64_t n = p.visible == nullptr ? p.columns : p.visible[i];
    const T* scores = p.scores + i * p.columns;
    T* weights = p.weights + i * p.columns;
    if (p.hidden == nullptr)
      ForwardRow<false>(scores, weights, nullptr, n);
    else
      ForwardRow<true>(scores, weights, p.hidden + i * p.hidden_stride, n);
    std::fill(weights + n, weights + p.columns, T(0));
  }
}

template <class T>
void Backward(const MaskedSoftmaxGradients<T>& p) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.rows; ++i) {
    const int64_t n = p.visible == nullptr ? p.columns : p.visible[i];
    const T* weights = p.weights + i * p.columns;
    const T* d_weights = p.d_weights + i * p.columns;
    T* d_scores = p.d_scores + i * p.columns;
    auto sum = hn::Zero(d);
    ForVectors<T>(n, [&](int64_t j, const auto& load, const auto&) HWY_ATTR {
      const auto w = load(weights + j);
      const auto product = hn::Mul(load(d_weights + j), w);
      sum = hn::Add(sum, hn::IfThenZeroElse(hn::Eq(w, hn::Zero(d)), product));
    });
    const auto mean = hn::SumOfLanes(d, sum);
    ForVectors<T>(n, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto w = load(weights + j);
      const auto change = hn::Mul(w, hn::Sub(load(d_weights + j), mean));
      store(hn::IfThenZeroElse(hn::Eq(w, hn::Zero(d)), change), d_scores + j);
    });
    std::fill(d_scores + n, d_scores + p.columns, T(0));
  }
}

ATTEND_FOR_TYPES(Forward);
ATTEND_FOR_TYPES(Backward);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(void, masked_softmax, Forward, MaskedSoftmaxRows);
ATTEND_DISPATCH(void, masked_softmax_backward, Backward, MaskedSoftmaxGradients);
}  // namespace attend::kernels
#endif
