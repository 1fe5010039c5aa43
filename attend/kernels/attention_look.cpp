#include "attend/kernels/attention_look.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/attention_look.cpp"
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

// scores[t] = scale q . k_t for a vector of keys; four sums, since one would wait for itself.
HWY_INLINE void Scores(const float* query, const float* keys, int64_t count,
                       const AttentionLookRows& p, float* scores) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t features = p.heads * p.width;
  for (int64_t t = 0; t < count; t += lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    const float* k = keys + look_key(t, features);
    int64_t j = 0;
    for (; j + 4 <= p.width; j += 4, k += 4 * kLookBlock) {
      a = hn::MulAdd(hn::Set(d, query[j]), hn::LoadU(d, k), a);
      b = hn::MulAdd(hn::Set(d, query[j + 1]), hn::LoadU(d, k + kLookBlock), b);
      c = hn::MulAdd(hn::Set(d, query[j + 2]), hn::LoadU(d, k + 2 * kLookBlock), c);
      e = hn::MulAdd(hn::Set(d, query[j + 3]), hn::LoadU(d, k + 3 * kLookBlock), e);
    }
    for (; j < p.width; ++j, k += kLookBlock)
      a = hn::MulAdd(hn::Set(d, query[j]), hn::LoadU(d, k), a);
    const auto sum = hn::Add(hn::Add(a, b), hn::Add(c, e));
    hn::StoreU(hn::Mul(sum, hn::Set(d, p.scale)), d, scores + t);
  }
}

// In place, over count >= 1 numbers.
HWY_INLINE void Softmax(float* x, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto least = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto greatest = least;
  const auto padded = [&](int64_t t) HWY_ATTR {
    const auto v = hn::LoadU(d, x + t);
    if (t + lanes <= count) return v;
    return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(count - t)), v, least);
  };
  for (int64_t t = 0; t < count; t += lanes) greatest = hn::Max(greatest, padded(t));
  greatest = hn::MaxOfLanes(d, greatest);
  auto sum = hn::Zero(d);
  for (int64_t t = 0; t < count; t += lanes) {
    const auto e = FastExp(d, hn::Sub(padded(t), greatest));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, x + t);
  }
  const auto factor = hn::Div(hn::Set(d, 1.0F), hn::SumOfLanes(d, sum));
  for (int64_t t = 0; t < count; t += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, x + t), factor), d, x + t);
}

// out = sum_t w_t v_t of one head; even and odd keys apart.
HWY_INLINE void Pool(const float* weights, const LookMemory& m, const float* values, int64_t width,
                     float* out) {
  const hn::ScalableTag<float> d;
  ForVectors<float>(width, [&](int64_t j, const auto& load, const auto& store) HWY_ATTR {
    auto even = hn::Zero(d), odd = even;
    const float* v = values + j;
    int64_t t = 0;
    for (; t + 2 <= m.count; t += 2, v += 2 * m.value_stride) {
      even = hn::MulAdd(hn::Set(d, weights[t]), load(v), even);
      odd = hn::MulAdd(hn::Set(d, weights[t + 1]), load(v + m.value_stride), odd);
    }
    if (t < m.count) even = hn::MulAdd(hn::Set(d, weights[t]), load(v), even);
    store(hn::Add(even, odd), out + j);
  });
}

void LookRows(const AttentionLookRows& p) {
  const int64_t features = p.heads * p.width;
  for (int64_t i = 0; i < p.n; ++i) {
    const LookMemory& m = p.memory[i];
    const float* query = p.query + i * p.query_stride;
    float* weights = p.weights + i * p.heads * p.weight_stride;
    float* out = p.out + i * features;
    if (m.count == 0) {
      std::fill_n(out, features, 0.0F);
      continue;
    }
    // Stage by stage, so that the heads' chains of sums overlap.
    for (int64_t h = 0; h < p.heads; ++h)
      Scores(query + h * p.width, m.keys + h * p.width * kLookBlock, m.count, p,
             weights + h * p.weight_stride);
    for (int64_t h = 0; h < p.heads; ++h) Softmax(weights + h * p.weight_stride, m.count);
    for (int64_t h = 0; h < p.heads; ++h)
      Pool(weights + h * p.weight_stride, m, m.values + h * p.width, p.width, out + h * p.width);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
HWY_EXPORT(LookRows);
void attention_look(const AttentionLookRows& p) { HWY_DYNAMIC_DISPATCH(LookRows)(p); }
}  // namespace attend::kernels
#endif
