#include "attend/kernels/additive_look.h"

#include <algorithm>
#include <limits>

#include "attend/kernels/for_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/kernels/additive_look.cpp"
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

template <class T>
HWY_INLINE T Dot(const T* x, const T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  ForVectors<T>(n, [&](int64_t j, const auto& load, const auto&)
                       HWY_ATTR { sum = hn::MulAdd(load(x + j), load(y + j), sum); });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// v . tanh(q + k)
template <class T>
HWY_INLINE T Score(const T* query, const T* key, const T* score, int64_t features) {
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  ForVectors<T>(features, [&](int64_t a, const auto& load, const auto&) HWY_ATTR {
    const auto feature = FastTanh(d, hn::Add(load(query + a), load(key + a)));
    sum = hn::MulAdd(load(score + a), feature, sum);
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// In place; where all is hidden, zeros. A score that is NaN makes those of all that is not hidden
// NaN.
template <class T>
HWY_INLINE void SoftmaxRow(T* scores, const bool* hidden, int64_t sources) {
  const hn::ScalableTag<T> d;
  const auto hides = [&](int64_t s) { return hidden != nullptr && hidden[s]; };
  T greatest = std::numeric_limits<T>::lowest();
  for (int64_t s = 0; s < sources; ++s)
    if (!hides(s) && scores[s] > greatest) greatest = scores[s];
  if (hidden != nullptr)
    for (int64_t s = 0; s < sources; ++s)
      if (hidden[s]) scores[s] = greatest;  // a finite place holder, zero below
  ForVectors<T>(sources, [&](int64_t s, const auto& load, const auto& store) HWY_ATTR {
    store(FastExp(d, hn::Sub(load(scores + s), hn::Set(d, greatest))), scores + s);
  });
  T sum = 0;
  for (int64_t s = 0; s < sources; ++s)
    if (!hides(s)) sum += scores[s];
  const T factor = sum == 0 ? T(0) : 1 / sum;
  for (int64_t s = 0; s < sources; ++s) scores[s] = hides(s) ? T(0) : scores[s] * factor;
}

// One row: what it sees, and where that lies.
template <class T>
struct Look {
  int64_t first;  // of what is (n, S)
  int64_t cells;
  const T* keys;
  const T* values;
  const bool* hidden;
  const T* multiplier;

  Look(const AdditiveLookRows<T>& p, int64_t b)
      : first(b * p.sources),
        cells(p.length(b)),
        keys(p.keys + p.begin(b) * p.features),
        values(p.values + p.begin(b) * p.memory),
        hidden(p.hidden == nullptr ? nullptr : p.hidden + first),
        multiplier(p.multiplier == nullptr ? nullptr : p.multiplier + first) {}
  HWY_INLINE bool sees(int64_t s) const { return hidden == nullptr || !hidden[s]; }
};

template <class T>
void Forward(const AdditiveLookRows<T>& p, const AdditiveLookOutput<T>& out) {
  const hn::ScalableTag<T> d;
  for (int64_t b = 0; b < p.n; ++b) {
    const Look<T> at(p, b);
    T* weights = out.weights + at.first;
    T* look = out.look + at.first;
    for (int64_t s = 0; s < at.cells; ++s)
      weights[s] = at.sees(s) ? Score(p.query + b * p.features, at.keys + s * p.features, p.score,
                                      p.features)
                              : T(0);
    SoftmaxRow(weights, at.hidden, at.cells);
    for (int64_t s = 0; s < at.cells; ++s)
      look[s] = at.multiplier == nullptr ? weights[s] : weights[s] * at.multiplier[s];
    T* context = out.context + b * p.memory;
    ForVectors<T>(p.memory, [&](int64_t m, const auto& load, const auto& store) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (int64_t s = 0; s < at.cells; ++s)
        if (at.sees(s))
          sum = hn::MulAdd(hn::Set(d, look[s]), load(at.values + s * p.memory + m), sum);
      store(sum, context + m);
    });
  }
}

// From the context's gradient to that of the scores, and of the values.
template <class T>
HWY_INLINE void TakeBackSoftmax(const AdditiveLookRows<T>& p, const AdditiveLookGradients<T>& g,
                                int64_t b) {
  const hn::ScalableTag<T> d;
  const Look<T> at(p, b);
  const T* d_context = g.d_context + b * p.memory;
  const T *weights = g.weights + at.first, *look = g.look + at.first;
  T* d_scores = g.d_scores + at.first;
  T* d_values = g.d_values + p.begin(b) * p.memory;
  T mean = 0;
  for (int64_t s = 0; s < at.cells; ++s) {
    if (!at.sees(s)) {
      d_scores[s] = 0;
      continue;
    }
    const T* value = at.values + s * p.memory;
    T* d_value = d_values + s * p.memory;
    auto sum = hn::Zero(d);
    ForVectors<T>(p.memory, [&](int64_t m, const auto& load, const auto& store) HWY_ATTR {
      const auto change = load(d_context + m);
      sum = hn::MulAdd(change, load(value + m), sum);
      store(hn::MulAdd(hn::Set(d, look[s]), change, load(d_value + m)), d_value + m);
    });
    d_scores[s] = hn::GetLane(hn::SumOfLanes(d, sum));
    if (at.multiplier != nullptr) d_scores[s] *= at.multiplier[s];
    mean += d_scores[s] * weights[s];
  }
  for (int64_t s = 0; s < at.cells; ++s) d_scores[s] = weights[s] * (d_scores[s] - mean);
}

template <class T>
void Backward(const AdditiveLookRows<T>& p, const AdditiveLookGradients<T>& g) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T(1));
  for (int64_t b = 0; b < p.n; ++b) {
    TakeBackSoftmax(p, g, b);
    const Look<T> look(p, b);
    const T* query = p.query + b * p.features;
    const T* d_scores = g.d_scores + look.first;
    T* d_keys = g.d_keys + p.begin(b) * p.features;
    T* d_query = g.d_query + b * p.features;
    ForVectors<T>(p.features, [&](int64_t a, const auto& load, const auto& store) HWY_ATTR {
      const auto q = load(query + a), v = load(p.score + a);
      auto of_query = hn::Zero(d), of_score = load(g.d_score + a);
      for (int64_t s = 0; s < look.cells; ++s) {
        if (!look.sees(s)) continue;
        const int64_t at = s * p.features + a;
        const auto feature = FastTanh(d, hn::Add(q, load(look.keys + at)));
        const auto change = hn::Set(d, d_scores[s]);
        const auto inner = hn::Mul(hn::Mul(change, v), hn::NegMulAdd(feature, feature, one));
        of_score = hn::MulAdd(change, feature, of_score);
        of_query = hn::Add(of_query, inner);
        store(hn::Add(load(d_keys + at), inner), d_keys + at);
      }
      store(of_query, d_query + a);
      store(of_score, g.d_score + a);
    });
  }
}

ATTEND_FOR_TYPES(Forward);
ATTEND_FOR_TYPES(Backward);

}  // namespace HWY_NAMESPACE
}  // namespace attend::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend::kernels {
ATTEND_EXPORT(Forward);
ATTEND_EXPORT(Backward);
void additive_look_forward(const AdditiveLookRows<float>& p, const AdditiveLookOutput<float>& out) {
  HWY_DYNAMIC_DISPATCH(ForwardF32)(p, out);
}
void additive_look_forward(const AdditiveLookRows<double>& p,
                           const AdditiveLookOutput<double>& out) {
  HWY_DYNAMIC_DISPATCH(ForwardF64)(p, out);
}
void additive_look_backward(const AdditiveLookRows<float>& p,
                            const AdditiveLookGradients<float>& out) {
  HWY_DYNAMIC_DISPATCH(BackwardF32)(p, out);
}
void additive_look_backward(const AdditiveLookRows<double>& p,
                            const AdditiveLookGradients<double>& out) {
  HWY_DYNAMIC_DISPATCH(BackwardF64)(p, out);
}
}  // namespace attend::kernels
#endif
