#include "attend/kernels/residual_norm.h"

#include <cmath>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/residual_norm.cpp"
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

// Whether to take four rows at once, so that one row's sums need not wait for another's: not where
// what they touch overflows the first-level cache while one row's does not. `shared` rows, such as
// gain, are touched by all of them, `own` ones by each.
template <class T>
bool FourRows(int64_t width, int64_t shared, int64_t own) {
  constexpr int64_t kFirstCache = 32 << 10;
  const int64_t row = width * static_cast<int64_t>(sizeof(T));
  return (shared + 4 * own) * row <= kFirstCache || (shared + own) * row > kFirstCache;
}

// z = x + m s into `out`; the sum of the row.
template <class T>
HWY_INLINE T Sum(const ResidualNormRows<T>& p, int64_t row, T* out) {
  const hn::ScalableTag<T> d;
  const T* x = p.x + row * p.width;
  const T* s = p.s == nullptr ? nullptr : p.s + row * p.width;
  auto sum = hn::Zero(d);
  const auto add = [&](const auto& change) HWY_ATTR {
    ForVectors<T>(p.width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto z = hn::Add(load(x + j), change(j, load));
      store(z, out + j);
      sum = hn::Add(sum, z);
    });
  };
  if (s == nullptr)
    add([&](int64_t, const auto&) HWY_ATTR { return hn::Zero(d); });
  else if (p.keys == nullptr)
    add([&](int64_t j, const auto& load) HWY_ATTR { return load(s + j); });
  else
    add([&](int64_t j, const auto& load)
            HWY_ATTR { return Dropped(d, load(s + j), p.keys[row], j, p.threshold, p.kept); });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// The sum of (z - mean)^2.
template <class T>
HWY_INLINE T SquaredDeviations(const T* z, int64_t width, T mean) {
  const hn::ScalableTag<T> d;
  const auto centre = hn::Set(d, mean);
  auto sum = hn::Zero(d);
  ForPaddedVectors<T>(width, mean,
                      [&](int64_t j, const auto&, const auto& pad, const auto&) HWY_ATTR {
                        const auto deviation = hn::Sub(pad(z + j), centre);
                        sum = hn::MulAdd(deviation, deviation, sum);
                      });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// R rows at once.
template <class T, int R>
HWY_INLINE void NormaliseRows(const ResidualNormRows<T>& p, int64_t first) {
  const hn::ScalableTag<T> d;
  const T share = T(1) / static_cast<T>(p.width);
  const auto at = [&](T* x, int r) { return x == nullptr ? nullptr : x + (first + r) * p.width; };
  T* const to = p.normalised != nullptr ? p.normalised : p.y;  // z
  T mean[R], inverse[R];
  for (int r = 0; r < R; ++r) mean[r] = Sum(p, first + r, at(to, r)) * share;
  for (int r = 0; r < R; ++r) inverse[r] = SquaredDeviations(at(to, r), p.width, mean[r]);
  for (int r = 0; r < R; ++r) inverse[r] = 1 / std::sqrt(inverse[r] * share + p.epsilon);
  for (int r = 0; r < R; ++r) {
    const T* z = at(to, r);
    T *y = at(p.y, r), *h = at(p.normalised, r);
    if (p.inverse_sigma != nullptr) p.inverse_sigma[first + r] = inverse[r];
    const auto centre = hn::Set(d, mean[r]), factor = hn::Set(d, inverse[r]);
    ForVectors<T>(p.width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
      const auto normalised = hn::Mul(hn::Sub(load(z + j), centre), factor);
      if (h != nullptr) store(normalised, h + j);
      store(hn::MulAdd(normalised, load(p.gain + j), load(p.bias + j)), y + j);
    });
  }
}

template <class T>
void Forward(const ResidualNormRows<T>& p) {
  int64_t i = 0;
  if (FourRows<T>(p.width, 2, 4))
    for (; i + 4 <= p.rows; i += 4) NormaliseRows<T, 4>(p, i);
  for (; i < p.rows; ++i) NormaliseRows<T, 1>(p, i);
}

// With g = d_y gain, R rows at once: mean(g) and mean(g h) of each; d_gain and d_bias gain theirs.
template <class T, int R>
HWY_INLINE void Means(const ResidualNormGradients<T>& p, int64_t first, T (&of_g)[R],
                      T (&of_product)[R]) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V sum[R], product[R];
  for (int r = 0; r < R; ++r) sum[r] = product[r] = hn::Zero(d);
  const T* d_y = p.d_y + first * p.width;
  const T* h = p.normalised + first * p.width;
  ForVectors<T>(p.width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    const V gain = load(p.gain + j);
    V d_gain = hn::Zero(d), d_bias = hn::Zero(d);
    if (p.d_gain != nullptr) {
      d_gain = load(p.d_gain + j);
      d_bias = load(p.d_bias + j);
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const V change = load(d_y + r * p.width + j), normalised = load(h + r * p.width + j);
      const V g = hn::Mul(change, gain);
      sum[r] = hn::Add(sum[r], g);
      product[r] = hn::MulAdd(g, normalised, product[r]);
      d_gain = hn::MulAdd(change, normalised, d_gain);
      d_bias = hn::Add(d_bias, change);
    }
    if (p.d_gain != nullptr) {
      store(d_gain, p.d_gain + j);
      store(d_bias, p.d_bias + j);
    }
  });
  const T share = T(1) / static_cast<T>(p.width);
  for (int r = 0; r < R; ++r) {
    of_g[r] = hn::GetLane(hn::SumOfLanes(d, sum[r])) * share;
    of_product[r] = hn::GetLane(hn::SumOfLanes(d, product[r])) * share;
  }
}

// d_x = (g - mean(g) - h mean(g h)) / sigma + d_sum,  d_s = m d_x
template <class T>
HWY_INLINE void TakeBackRow(const ResidualNormGradients<T>& p, int64_t i, T of_g, T of_product) {
  const hn::ScalableTag<T> d;
  const int64_t row = i * p.width;
  const auto mean = hn::Set(d, of_g), slope = hn::Set(d, of_product);
  const auto inverse = hn::Set(d, p.inverse_sigma[i]);
  ForVectors<T>(p.width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    const auto centred = hn::MulSub(load(p.d_y + row + j), load(p.gain + j), mean);
    auto change = hn::Mul(hn::NegMulAdd(load(p.normalised + row + j), slope, centred), inverse);
    if (p.d_sum != nullptr) change = hn::Add(change, load(p.d_sum + row + j));
    store(change, p.d_x + row + j);
    if (p.d_s == nullptr) return;
    store(p.keys == nullptr ? change : Dropped(d, change, p.keys[i], j, p.threshold, p.kept),
          p.d_s + row + j);
  });
}

template <class T, int R>
HWY_INLINE void TakeBackRows(const ResidualNormGradients<T>& p, int64_t first) {
  T of_g[R], of_product[R];
  Means<T, R>(p, first, of_g, of_product);
  for (int r = 0; r < R; ++r) TakeBackRow(p, first + r, of_g[r], of_product[r]);
}

template <class T>
void Backward(const ResidualNormGradients<T>& p) {
  int64_t i = 0;
  if (FourRows<T>(p.width, 3, 3))
    for (; i + 4 <= p.rows; i += 4) TakeBackRows<T, 4>(p, i);
  for (; i < p.rows; ++i) TakeBackRows<T, 1>(p, i);
}

ATTEND_FOR_TYPES(Forward);
ATTEND_FOR_TYPES(Backward);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_DISPATCH(void, residual_norm, Forward, ResidualNormRows);
ATTEND_DISPATCH(void, residual_norm_backward, Backward, ResidualNormGradients);
}  // namespace attend::kernels
#endif
