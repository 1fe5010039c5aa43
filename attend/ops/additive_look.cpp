#include "attend/ops/additive_look.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/mv.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/ops/gru_steps.h"

namespace attend::ops::detail {
namespace {

// Sizes of a step: n live sentences, S source cells, A features, M memory's width.
struct Sizes {
  int64_t n, sources, features, memory;
};

// f = q + k_s, before tanh: (n, A) and (n, S, A) -> (n, S, A).
template <class T>
void sum_features(const T* __restrict query, const T* __restrict keys, T* __restrict out,
                  const Sizes& z) {
  for (int64_t b = 0; b < z.n; ++b)
    for (int64_t s = 0; s < z.sources; ++s, keys += z.features, out += z.features)
      for (int64_t a = 0; a < z.features; ++a) out[a] = keys[a] + query[b * z.features + a];
}

// scores (n, S), overwritten by weights; where `hidden` all of a row is, zeros.
template <class T>
void softmax_rows(T* scores, const bool* hidden, const Sizes& z) {
  for (int64_t b = 0; b < z.n; ++b, scores += z.sources) {
    const bool* hides = hidden == nullptr ? nullptr : hidden + b * z.sources;
    T greatest = -std::numeric_limits<T>::infinity();
    for (int64_t s = 0; s < z.sources; ++s)
      if (hides == nullptr || !hides[s]) greatest = std::max(greatest, scores[s]);
    T sum = 0;
    for (int64_t s = 0; s < z.sources; ++s) {
      scores[s] = hides != nullptr && hides[s] ? T(0) : std::exp(scores[s] - greatest);
      sum += scores[s];
    }
    for (int64_t s = 0; s < z.sources && sum != 0; ++s) scores[s] /= sum;
  }
}

// context = sum_s look_s value_s: (n, S) and (n, S, M) -> (n, M).
template <class T>
void weigh(const T* look, const T* __restrict values, T* __restrict context, const Sizes& z) {
  std::fill_n(context, z.n * z.memory, T(0));
  for (int64_t b = 0; b < z.n; ++b, context += z.memory)
    for (int64_t s = 0; s < z.sources; ++s, values += z.memory)
      for (int64_t m = 0; m < z.memory; ++m) context[m] += look[b * z.sources + s] * values[m];
}

// Eight running sums, so that it becomes SIMD without reordering a sum at will.
template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int64_t j = 0; j < 8; ++j) lanes[j] += x[i + j] * y[i + j];
  for (int64_t j = 0; i < n; ++i, ++j) lanes[j] += x[i] * y[i];
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

// From the context's gradient (n, M) to that of the scores (n, S), before the softmax, and of the
// values (n, S, M), added to.
template <class T>
void take_back_softmax(const T* d_context, const T* values, const T* weights, const T* look,
                       const T* multiplier, T* d_scores, T* d_values, const Sizes& z) {
  for (int64_t b = 0; b < z.n; ++b) {
    const T* __restrict d = d_context + b * z.memory;
    const int64_t first = b * z.sources;
    T mean = 0;
    for (int64_t s = first; s < first + z.sources; ++s) {
      T* __restrict d_value = d_values + s * z.memory;
      for (int64_t m = 0; m < z.memory; ++m) d_value[m] += look[s] * d[m];
      d_scores[s] = dot(d, values + s * z.memory, z.memory);
      if (multiplier != nullptr) d_scores[s] *= multiplier[s];
      mean += d_scores[s] * weights[s];
    }
    for (int64_t s = first; s < first + z.sources; ++s)
      d_scores[s] = weights[s] * (d_scores[s] - mean);
  }
}

// From the scores' gradient to that of the query (n, A), of the keys (n, S, A), added to, and of
// the score vector (A), added to; `f` are the features, after tanh.
template <class T>
void take_back_features(const T* d_scores, const T* __restrict f, const T* __restrict score,
                        T* d_query, T* __restrict d_keys, T* __restrict d_score, const Sizes& z) {
  std::fill_n(d_query, z.n * z.features, T(0));
  for (int64_t b = 0; b < z.n; ++b) {
    T* __restrict d_q = d_query + b * z.features;
    for (int64_t s = 0; s < z.sources; ++s, f += z.features, d_keys += z.features) {
      const T d = d_scores[b * z.sources + s];
      for (int64_t a = 0; a < z.features; ++a) {
        const T inner = d * score[a] * (1 - f[a] * f[a]);
        d_score[a] += d * f[a];
        d_q[a] += inner;
        d_keys[a] += inner;
      }
    }
  }
}

template <class T>
const T* data_or_null(const at::Tensor& x) {
  return x.defined() ? x.const_data_ptr<T>() : nullptr;
}

Sizes sizes(int64_t n, const at::Tensor& values, const at::Tensor& keys) {
  return {n, keys.size(1), keys.size(2), values.size(2)};
}

}  // namespace

AdditiveLook::AdditiveLook(const at::Tensor& values, const at::Tensor& keys,
                           const at::Tensor& hidden, const at::Tensor& score)
    : values_(values.contiguous()),
      keys_(keys.contiguous()),
      hidden_(hidden.defined() ? hidden.contiguous() : hidden),
      score_(score.contiguous()),
      features_(at::empty_like(keys_)) {}

// tanh(q + k): (n S, A). Made again for the gradient: of all steps they are too many to keep.
at::Tensor AdditiveLook::features(const at::Tensor& query) {
  const Sizes z = sizes(query.size(0), values_, keys_);
  with_type(query, [&]<class T>(T) {
    sum_features(query.const_data_ptr<T>(), keys_.const_data_ptr<T>(),
                 features_.mutable_data_ptr<T>(), z);
  });
  return features_.narrow(0, 0, z.n).view({z.n * z.sources, z.features}).tanh_();
}

void AdditiveLook::forward(const LookTrace& step, const at::Tensor& context) {
  const Sizes z = sizes(step.query.size(0), values_, keys_);
  at::Tensor scores = step.weights.view({z.n * z.sources});
  at::mv_out(scores, features(step.query), score_);
  with_type(step.query, [&]<class T>(T) {
    T* weights = step.weights.mutable_data_ptr<T>();
    softmax_rows(weights, data_or_null<bool>(hidden_), z);
    const T* factor = data_or_null<T>(step.multiplier);
    T* look = step.look.mutable_data_ptr<T>();
    for (int64_t i = 0; i < z.n * z.sources; ++i)
      look[i] = factor == nullptr ? weights[i] : weights[i] * factor[i];
    weigh(look, values_.const_data_ptr<T>(), context.mutable_data_ptr<T>(), z);
  });
}

void AdditiveLook::backward(const LookTrace& step, const at::Tensor& d_context,
                            const at::Tensor& d_query, const Sums& sums) {
  const Sizes z = sizes(step.query.size(0), values_, keys_);
  const at::Tensor f = features(step.query);
  const at::Tensor d_scores = at::empty_like(step.weights);
  with_type(step.query, [&]<class T>(T) {
    take_back_softmax(d_context.const_data_ptr<T>(), values_.const_data_ptr<T>(),
                      step.weights.const_data_ptr<T>(), step.look.const_data_ptr<T>(),
                      data_or_null<T>(step.multiplier), d_scores.mutable_data_ptr<T>(),
                      sums.values.mutable_data_ptr<T>(), z);
    take_back_features(d_scores.const_data_ptr<T>(), f.const_data_ptr<T>(),
                       score_.const_data_ptr<T>(), d_query.mutable_data_ptr<T>(),
                       sums.keys.mutable_data_ptr<T>(), sums.score.mutable_data_ptr<T>(), z);
  });
}

}  // namespace attend::ops::detail
