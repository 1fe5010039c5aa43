#include "attend/kernels/additive_pairs.h"

#include <algorithm>
#include <limits>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/additive_pairs.cpp"
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

// Vectors of keys in a tile: as many gradients of keys, and as many keys, lie in registers.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr int64_t kVectors = 4;
#else
constexpr int64_t kVectors = 8;
#endif
constexpr int64_t kTileQueries = 32;

// 1 / x for x >= 1: an estimate and a step of Newton's, where that beats a division; 2e-7.
template <class D>
HWY_INLINE hn::Vec<D> Reciprocal(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const auto y = hn::ApproximateReciprocal(x);
    return hn::MulAdd(y, hn::NegMulAdd(x, y, one), y);
  }
#endif
  return hn::Div(one, x);
}

// 1 / (1 + e^2q e^2k), of which the feature is 1 - 2 r and its slope 4 r (1 - r).
template <class D, class V>
HWY_INLINE V Share(D d, V query, V key) {
  return Reciprocal(d, hn::MulAdd(query, key, hn::Set(d, hn::TFromD<D>(1))));
}

template <class T>
T GreatestMagnitude(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  auto greatest = hn::Zero(d), nan = hn::Zero(d);
  ForVectors<T>(n, [&](int64_t i, const auto& load, const auto&) HWY_ATTR {
    const auto v = load(x + i);
    greatest = hn::Max(greatest, hn::Abs(v));
    nan = hn::MulAdd(v, hn::Zero(d), nan);  // keeps NaN and infinity, which Max may not
  });
  const bool finite = hn::AllTrue(d, hn::Eq(nan, hn::Zero(d)));
  return finite ? hn::GetLane(hn::MaxOfLanes(d, greatest)) : std::numeric_limits<T>::quiet_NaN();
}

template <class T>
void Exponentials(T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto most = hn::Set(d, kAdditiveClamp<T>);
  ForVectors<T>(n, [&](int64_t i, const auto& load, const auto& store) HWY_ATTR {
    const auto v = AtMost(d, most, AtLeast(d, hn::Neg(most), load(x + i)));
    store(FastExp(d, hn::Add(v, v)), x + i);
  });
}

// Scores of one query and V vectors of keys, less the sum of w, over -2.
template <class T, int64_t V>
HWY_INLINE void Scores(const AdditivePairs<T>& p, const T* query, int64_t key, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[V];
#pragma GCC unroll 8
  for (int64_t v = 0; v < V; ++v) sum[v] = hn::Zero(d);
  const T* keys = p.keys_t + key;
  for (int64_t a = 0; a < p.features; ++a, keys += p.stride) {
    const auto q = hn::Set(d, query[a]), w = hn::Set(d, p.score[a]);
#pragma GCC unroll 8
    for (int64_t v = 0; v < V; ++v)
      sum[v] = hn::MulAdd(w, Share(d, q, hn::LoadU(d, keys + v * lanes)), sum[v]);
  }
#pragma GCC unroll 8
  for (int64_t v = 0; v < V; ++v) hn::StoreU(sum[v], d, to + v * lanes);
}

// body(first key, V) for tiles of kVectors, then of one vector, up to the stride.
template <class T, class Body>
HWY_INLINE void ForTiles(const AdditivePairs<T>& p, const Body& body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  int64_t key = 0;
  for (; key < p.key_count && key + kVectors * lanes <= p.stride; key += kVectors * lanes)
    body.template operator()<kVectors>(key);
  for (; key < p.key_count; key += lanes) body.template operator()<1>(key);
}

template <class T>
void Forward(const AdditivePairs<T>& p, T* scores) {
  const hn::ScalableTag<T> d;
  HWY_ALIGN T tile[kVectors * HWY_MAX_BYTES / sizeof(T)];
  T total = 0;
  for (int64_t a = 0; a < p.features; ++a) total += p.score[a];
  ForTiles(p, [&]<int64_t V>(int64_t key) HWY_ATTR {
    const int64_t count = std::min(V * static_cast<int64_t>(hn::Lanes(d)), p.key_count - key);
    for (int64_t i = 0; i < p.query_count; ++i) {
      Scores<T, V>(p, p.queries + i * p.features, key, tile);
      T* to = scores + i * p.key_count + key;
      ForVectors<T>(count, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
        store(hn::MulAdd(load(tile + j), hn::Set(d, T(-2)), hn::Set(d, total)), to + j);
      });
    }
  });
}

// Feature a of a tile: adds to sums over keys (rows, a step of `features` apart), over queries
// (V vectors), and returns the sum of r ds.
template <class T, int64_t V>
HWY_INLINE T TakeBackFeature(const T* queries, int64_t features, const T* keys, const T* d_scores,
                             int64_t rows, T* d_queries, T* d_keys) {
  const hn::ScalableTag<T> d;
  using Vector = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Vector k[V], of_key[V];
  Vector of_score = hn::Zero(d);
#pragma GCC unroll 8
  for (int64_t v = 0; v < V; ++v) {
    k[v] = hn::LoadU(d, keys + v * lanes);
    of_key[v] = hn::LoadU(d, d_keys + v * lanes);
  }
  for (int64_t i = 0; i < rows; ++i, d_scores += V * lanes) {
    const auto q = hn::Set(d, queries[i * features]);
    auto of_query = hn::Zero(d);
#pragma GCC unroll 8
    for (int64_t v = 0; v < V; ++v) {
      const auto r = Share(d, q, k[v]);
      const auto change = hn::Mul(r, hn::Load(d, d_scores + v * lanes));
      const auto slope = hn::NegMulAdd(r, change, change);  // r (1 - r) ds
      of_score = hn::Add(of_score, change);
      of_key[v] = hn::Add(of_key[v], slope);
      of_query = hn::Add(of_query, slope);
    }
    d_queries[i * features] += hn::GetLane(hn::SumOfLanes(d, of_query));
  }
#pragma GCC unroll 8
  for (int64_t v = 0; v < V; ++v) hn::StoreU(of_key[v], d, d_keys + v * lanes);
  return hn::GetLane(hn::SumOfLanes(d, of_score));
}

template <class T>
void Backward(const AdditivePairs<T>& p, const AdditivePairGradients<T>& g) {
  const hn::ScalableTag<T> d;
  HWY_ALIGN T tile[kTileQueries * kVectors * HWY_MAX_BYTES / sizeof(T)];
  std::fill_n(g.d_queries, p.query_count * p.features, T(0));
  std::fill_n(g.d_keys_t, p.features * p.stride, T(0));
  auto total = hn::Zero(d);
  ForTiles(p, [&]<int64_t V>(int64_t key) HWY_ATTR {
    const int64_t width = V * static_cast<int64_t>(hn::Lanes(d));
    const int64_t count = std::min(width, p.key_count - key);
    for (int64_t first = 0; first < p.query_count; first += kTileQueries) {
      const int64_t rows = std::min(kTileQueries, p.query_count - first);
      for (int64_t i = 0; i < rows; ++i) {
        const T* from = g.d_scores + (first + i) * p.key_count + key;
        T* to = tile + i * width;
        ForVectors<T>(count, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
          const auto change = load(from + j);
          store(change, to + j);
          total = hn::Add(total, change);
        });
        std::fill_n(to + count, width - count, T(0));
      }
      for (int64_t a = 0; a < p.features; ++a)
        g.d_score[a] -= 2 * TakeBackFeature<T, V>(p.queries + first * p.features + a, p.features,
                                                  p.keys_t + a * p.stride + key, tile, rows,
                                                  g.d_queries + first * p.features + a,
                                                  g.d_keys_t + a * p.stride + key);
    }
  });
  for (int64_t a = 0; a < p.features; ++a) {
    g.d_score[a] += hn::GetLane(hn::SumOfLanes(d, total));
    const T factor = 4 * p.score[a];
    for (int64_t i = 0; i < p.query_count; ++i) g.d_queries[i * p.features + a] *= factor;
    for (int64_t j = 0; j < p.stride; ++j) g.d_keys_t[a * p.stride + j] *= factor;
  }
}

ATTEND_FOR_TYPES(GreatestMagnitude);
ATTEND_FOR_TYPES(Exponentials);
ATTEND_FOR_TYPES(Forward);
ATTEND_FOR_TYPES(Backward);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_EXPORT(GreatestMagnitude);
ATTEND_EXPORT(Exponentials);
ATTEND_EXPORT(Forward);
ATTEND_EXPORT(Backward);
float greatest_magnitude(const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(GreatestMagnitudeF32)(x, n);
}
double greatest_magnitude(const double* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(GreatestMagnitudeF64)(x, n);
}
void additive_exponentials(float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(ExponentialsF32)(x, n); }
void additive_exponentials(double* x, int64_t n) { HWY_DYNAMIC_DISPATCH(ExponentialsF64)(x, n); }
void additive_pairs_forward(const AdditivePairs<float>& p, float* scores) {
  HWY_DYNAMIC_DISPATCH(ForwardF32)(p, scores);
}
void additive_pairs_forward(const AdditivePairs<double>& p, double* scores) {
  HWY_DYNAMIC_DISPATCH(ForwardF64)(p, scores);
}
void additive_pairs_backward(const AdditivePairs<float>& p, const AdditivePairGradients<float>& g) {
  HWY_DYNAMIC_DISPATCH(BackwardF32)(p, g);
}
void additive_pairs_backward(const AdditivePairs<double>& p,
                             const AdditivePairGradients<double>& g) {
  HWY_DYNAMIC_DISPATCH(BackwardF64)(p, g);
}
}  // namespace attend::kernels
#endif
