// NaN stays NaN through the kernels, as through their composed twins, on every ISA; what is hidden
// reaches nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "attend/kernels/activation.h"
#include "attend/kernels/additive_look.h"
#include "attend/kernels/additive_pairs.h"
#include "attend/kernels/attention.h"
#include "attend/kernels/attention_look.h"
#include "attend/kernels/cross_entropy.h"
#include "attend/kernels/gemm.h"
#include "attend/kernels/gru.h"
#include "attend/kernels/likeliest.h"
#include "attend/kernels/masked_softmax.h"
#include "attend/kernels/residual_norm.h"
#include "attend/kernels/short_attention.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

// The default one, and those whose payload integer arithmetic on their bits would carry away.
template <class T>
std::vector<T> nans() {
  std::vector<T> all;
  if constexpr (sizeof(T) == 4) {
    for (const uint32_t bits : {0x7FC00000U, 0xFFC00000U, 0x7FFFFFFFU, 0x7FC00081U, 0xFFFFFF80U}) {
      all.emplace_back();
      std::memcpy(&all.back(), &bits, sizeof bits);
    }
  } else {
    all = {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()};
    const uint64_t bits = 0x7FFFFFFFFFFFFFFFU;
    all.emplace_back();
    std::memcpy(&all.back(), &bits, sizeof bits);
  }
  return all;
}

template <class T>
int64_t count_nan(const T* x, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += std::isnan(x[i]) ? 1 : 0;
  return count;
}

class Nan : public EveryIsa {};

// NaN at one place of one input of a row of 19; all that is made of it, and nothing else, is NaN.
template <class T>
void check_gru(int64_t gate, int64_t at, T nan) {
  const int64_t width = 19;
  Guarded<T> input(3 * width, 1), products(3 * width, 2), bias(3 * width, 3), state(width, 4);
  Guarded<T> rows(width), previous(width), gates(2 * width), recurrent(width), candidate(width);
  input[gate * width + at] = nan;
  gru_forward(GruForwardRows<T>{input, products, bias, state, rows, previous, gates, recurrent,
                                candidate, 1, width});
  EXPECT_TRUE(std::isnan(state[at])) << gate;
  EXPECT_TRUE(std::isnan(gate == 2 ? candidate[at] : gates[gate * width + at])) << gate;
  EXPECT_EQ(count_nan(state.data(), width), 1);
}

TEST_P(Nan, InGates) {
  for (const int64_t gate : {0, 1, 2})
    for (const int64_t at : {0, 5, 18}) {
      for (const float nan : nans<float>()) check_gru<float>(gate, at, nan);
      for (const double nan : nans<double>()) check_gru<double>(gate, at, nan);
    }
}

template <class T>
void check_relu(int64_t at, T nan) {
  const int64_t rows = 3, width = 37;
  Guarded<T> a(rows, 1), b(width, 2), bias(width, 3, 2), c(rows * width);
  bias[at] = nan;
  GemmOperands<T> p{a, 1, 1, b, width, c, width, rows, width, 1, false};
  p.bias = bias;
  p.relu = true;
  gemm(p);
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(std::isnan(c[i * width + at])) << at;
  EXPECT_EQ(count_nan(c.data(), rows * width), rows);

  Guarded<T> d(rows * width, 4);
  relu_backward(ReluGradients<T>{c, d, d, rows, width, width, width, width});
  for (int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(d[i * width + at],
              static_cast<T>(std::cos(4.0 + static_cast<double>(i * width + at))));
}

TEST_P(Nan, InRelu) {
  for (const int64_t at : {0, 20, 33, 36})
    for (const double nan : nans<double>()) {
      check_relu<double>(at, nan);
      check_relu<float>(at, static_cast<float>(nan));
    }
}

// Query 0 sees what is visible of NaN, query 1 has NaN where it is hidden.
template <class T>
void check_look(int64_t sources, int64_t features, int64_t at, T nan) {
  const int64_t memory = 7;
  Guarded<T> query(2 * features, 1), keys(2 * sources * features, 2), score(features, 3);
  Guarded<T> values(2 * sources * memory, 4), weights(2 * sources), look(2 * sources);
  Guarded<T> context(2 * memory), d_context(2 * memory, 5), d_scores(2 * sources);
  Guarded<T> d_query(2 * features), d_keys(2 * sources * features, 0, 0), d_score(features, 0, 0);
  Guarded<T> d_values(2 * sources * memory, 0, 0);
  std::vector<char> hidden(static_cast<size_t>(2 * sources), 0);
  hidden[static_cast<size_t>(sources + at)] = 1;
  keys[at * features + features / 2] = nan;
  for (int64_t a = 0; a < features; ++a) keys[(sources + at) * features + a] = nan;
  for (int64_t m = 0; m < memory; ++m) values[(sources + at) * memory + m] = nan;
  const AdditiveLookRows<T> p{
      query,   keys, values,  score,    reinterpret_cast<bool*>(hidden.data()),
      nullptr, 2,    sources, features, memory};
  additive_look_forward(p, {weights, look, context});
  EXPECT_EQ(count_nan(weights.data(), sources), sources) << at;
  EXPECT_EQ(count_nan(context.data(), memory), memory) << at;
  EXPECT_EQ(count_nan(weights.data() + sources, sources), 0) << at;
  EXPECT_EQ(count_nan(context.data() + memory, memory), 0) << at;
  additive_look_backward(p,
                         {d_context, weights, look, d_scores, d_query, d_keys, d_values, d_score});
  EXPECT_EQ(count_nan(d_query.data(), features), features) << at;
  EXPECT_EQ(count_nan(d_query.data() + features, features), 0) << at;
  EXPECT_EQ(count_nan(d_keys.data() + sources * features, sources * features), 0) << at;
  EXPECT_EQ(count_nan(d_values.data() + sources * memory, sources * memory), 0) << at;
}

TEST_P(Nan, InAdditiveScores) {
  for (const int64_t sources : {1, 5, 21})
    for (const int64_t features : {1, 18})
      for (const int64_t at : {int64_t{0}, sources / 2, sources - 1}) {
        for (const float nan : nans<float>()) check_look<float>(sources, features, at, nan);
        for (const double nan : nans<double>()) check_look<double>(sources, features, at, nan);
      }
}

TEST_P(Nan, InExponentialsOfPairs) {
  for (const int64_t at : {0, 3, 18}) {
    Guarded<float> x(19, 1);
    x[at] = std::nanf("");
    additive_exponentials(x.data(), 19);
    EXPECT_TRUE(std::isnan(x[at]));
    Guarded<double> y(19, 1);
    y[at] = std::nan("");
    additive_exponentials(y.data(), 19);
    EXPECT_TRUE(std::isnan(y[at]));
  }
}

// A key that is NaN, of which a causal query before it knows nothing.
template <class T>
void check_attention(int64_t at, T nan) {
  const int64_t n = 40, width = 3;
  Guarded<T> q(n * width, 1), k(n * width, 2), v(n * width, 3), out(n * width), sums(2 * n);
  k[at * width] = nan;
  AttentionHead<T> head{q, width, k, width, v, width, n, n, width, width, 0.5};
  head.most = 0;
  Guarded<T> scratch(attention_scratch(head));
  attention_forward(head, AttentionOutput<T>{out, width, sums}, scratch.data());
  EXPECT_EQ(count_nan(out.data(), at * width), 0) << at;
  EXPECT_EQ(count_nan(out.data() + at * width, (n - at) * width), (n - at) * width) << at;
  Guarded<T> all(n * n, 0, 0), d_out(n * width, 4), d_q(n * width), d_k(n * width), d_v(n * width);
  attention_weights(head, sums.data(), all.data(), n, scratch.data());
  EXPECT_EQ(count_nan(all.data() + at * n, at + 1), at + 1) << at;
  attention_backward(
      head,
      AttentionGradients<T>{out, width, sums, d_out, width, d_q, width, d_k, width, d_v, width},
      scratch.data());
  EXPECT_EQ(count_nan(d_q.data() + at * width, (n - at) * width), (n - at) * width) << at;
}

TEST_P(Nan, InAttention) {
  for (const int64_t at : {0, 17, 35, 39}) {
    for (const float nan : nans<float>()) check_attention<float>(at, nan);
    for (const double nan : nans<double>()) check_attention<double>(at, nan);
  }
}

// Of three sentences the second has a key that is NaN.
template <class T>
void check_short_attention(bool causal, T nan) {
  const int64_t width = 4, offsets[] = {0, 3, 8, 12}, order[] = {0, 1, 2};
  Guarded<T> q(12 * width, 1), k(12 * width, 2), v(12 * width, 3), out(12 * width);
  k[5 * width + 1] = nan;
  const ShortAttention<T> p{q, k, v,     width, width,  width,  offsets, offsets, order,
                            3, 1, width, width, causal, T(0.5), nullptr, 0,       T(1)};
  Guarded<T> scratch(short_attention_scratch(p));
  short_attention_forward(p, out, width, scratch);
  for (int64_t i = 0; i < 12; ++i) {
    const bool sees = i >= (causal ? 5 : 3) && i < 8;
    EXPECT_EQ(count_nan(out.data() + i * width, width), sees ? width : 0) << causal << " " << i;
  }
}

TEST_P(Nan, InShortAttention) {
  for (const bool causal : {false, true}) {
    for (const float nan : nans<float>()) check_short_attention<float>(causal, nan);
    for (const double nan : nans<double>()) check_short_attention<double>(causal, nan);
  }
}

template <class T>
void check_rows(int64_t n, int64_t at, T nan) {
  Guarded<T> x(n, 1), weights(n);
  x[at] = nan;
  masked_softmax(MaskedSoftmaxRows<T>{x, weights, nullptr, nullptr, 0, 1, n});
  EXPECT_EQ(count_nan(weights.data(), n), n) << at;

  Likeliest found;
  std::vector<float> logits(x.data(), x.data() + n);
  likeliest(LikeliestRows{logits.data(), n, 1, n, 0, &found});
  EXPECT_TRUE(std::isnan(found.sum)) << at;
  std::vector<float> least(static_cast<size_t>(n), -std::numeric_limits<float>::infinity());
  least[static_cast<size_t>(at)] = std::nanf("");
  found = {};
  likeliest(LikeliestRows{least.data(), n, 1, n, 0, &found});
  EXPECT_TRUE(std::isnan(found.sum)) << at;

  Guarded<T> sums(2), d(n);
  const int64_t target = 0;
  const int32_t narrow = 0;
  EXPECT_TRUE(std::isnan(
      cross_entropy_loss(CrossEntropyRows<T, int64_t>{x, n, &target, 1, n, sums.data()})))
      << at;
  cross_entropy_gradient(CrossEntropyGradient<T>{x, n, &target, sums, d, n, 1, n, T(1)});
  EXPECT_EQ(count_nan(d.data(), n), n) << at;
  EXPECT_TRUE(std::isnan(cross_entropy(CrossEntropyRows<T, int32_t>{x, n, &narrow, 1, n}))) << at;
  EXPECT_EQ(count_nan(x.data(), n), n) << at;
}

TEST_P(Nan, InSoftmaxCrossEntropyAndTheLikeliest) {
  for (const int64_t n : {1, 17, 70})
    for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
      for (const float nan : nans<float>()) check_rows<float>(n, at, nan);
      for (const double nan : nans<double>()) check_rows<double>(n, at, nan);
    }
}

TEST_P(Nan, InALookAtKeys) {
  const int64_t width = 4;
  for (const int64_t count : {1, 17, 33})
    for (const int64_t at : {int64_t{0}, count / 2, count - 1}) {
      Guarded<float> query(width, 1), keys(look_keys(count) * width, 2), values(count * width, 3);
      Guarded<float> weights(look_keys(count)), out(width);
      keys[look_key(at, width) + kLookBlock] = std::nanf("");
      const LookMemory memory{keys, values, width, count};
      attention_look(AttentionLookRows{query, width, &memory, 1, 1, width, 0.5F, weights,
                                       look_keys(count), out});
      EXPECT_EQ(count_nan(weights.data(), count), count) << at;
      EXPECT_EQ(count_nan(out.data(), width), width) << at;
    }
}

TEST_P(Nan, InANorm) {
  const int64_t width = 19;
  Guarded<float> x(2 * width, 1), gain(width, 2), bias(width, 3), y(2 * width);
  x[width - 1] = std::nanf("");
  residual_norm(ResidualNormRows<float>{x, nullptr, nullptr, 0, 1, gain, bias, 1e-5F, y, nullptr,
                                        nullptr, 2, width});
  EXPECT_EQ(count_nan(y.data(), width), width);
  EXPECT_EQ(count_nan(y.data() + width, width), 0);
}

INSTANTIATE_TEST_SUITE_P(Isa, Nan, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
