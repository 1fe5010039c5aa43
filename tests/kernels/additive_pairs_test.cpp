// Additive scores of all pairs, against their formula in plain double arithmetic, on every ISA.
#include "attend/kernels/additive_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "attend/kernels/transpose.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

class AdditivePairsKernels : public EveryIsa {};

// Features of up to `scale` on the side of the queries, `key_scale` on that of the keys.
template <class T>
void check(int64_t queries, int64_t keys, int64_t features, double scale, double key_scale) {
  SCOPED_TRACE(std::to_string(queries) + " x " + std::to_string(keys) + " of " +
               std::to_string(features) + (sizeof(T) == 4 ? " floats" : " doubles"));
  const int64_t stride = additive_stride<T>(keys);
  Guarded<T> q(queries * features, 1, scale), k(keys * features, 2, key_scale), w(features, 3);
  Guarded<T> d(queries * keys, 5), scores(queries * keys), exp_q(queries * features, 1, scale);
  Guarded<T> keys_t(features * stride, 0, 0), d_q(queries * features), d_keys_t(features * stride);
  Guarded<T> d_w(features, 6);
  std::vector<double> e_q(static_cast<size_t>(queries * features), 0), e_w;
  std::vector<double> e_k(static_cast<size_t>(keys * features), 0);
  for (int64_t a = 0; a < features; ++a) e_w.push_back(double{d_w[a]});
  transpose(TransposeOperands<T>{k, features, keys_t, stride, keys, features, T(1)});
  additive_exponentials(exp_q.data(), queries * features);
  additive_exponentials(keys_t.data(), features * stride);
  const AdditivePairs<T> pairs{exp_q, keys_t, w, queries, keys, features, stride};
  additive_pairs_forward(pairs, scores.data());
  additive_pairs_backward(pairs, AdditivePairGradients<T>{d, d_q, d_keys_t, d_w});

  const double close = 2 * tolerance<T>() * static_cast<double>(features + 1);
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      double sum = 0;
      const double change = double{d[i * keys + j]};
      for (int64_t a = 0; a < features; ++a) {
        const double f = std::tanh(double{q[i * features + a]} + double{k[j * features + a]});
        sum += double{w[a]} * f;
        const double inner = change * double{w[a]} * (1 - f * f);
        e_q[static_cast<size_t>(i * features + a)] += inner;
        e_k[static_cast<size_t>(j * features + a)] += inner;
        e_w[static_cast<size_t>(a)] += change * f;
      }
      ASSERT_NEAR(scores[i * keys + j], sum, close) << i << " " << j;
    }
  const double slack = 4 * tolerance<T>() * static_cast<double>(std::max(queries, keys) + 1);
  for (int64_t a = 0; a < features; ++a) {
    for (int64_t i = 0; i < queries; ++i)
      ASSERT_NEAR(d_q[i * features + a], e_q[static_cast<size_t>(i * features + a)], slack) << i;
    for (int64_t j = 0; j < keys; ++j)
      ASSERT_NEAR(d_keys_t[a * stride + j], e_k[static_cast<size_t>(j * features + a)], slack) << j;
    ASSERT_NEAR(d_w[a], e_w[static_cast<size_t>(a)], slack * static_cast<double>(keys + 1)) << a;
  }
}

TEST_P(AdditivePairsKernels, AgreeWithTheFormula) {
  for (const int64_t queries : {0, 1, 2, 33})
    for (const int64_t keys : {0, 1, 15, 16, 17, 70, 129})
      for (const int64_t features : {1, 5, 32}) {
        check<float>(queries, keys, features, 1.5, 1);
        check<double>(queries, keys, features, 1.5, 1);
      }
  check<float>(3, 1030, 7, 1, 1);
}

TEST_P(AdditivePairsKernels, AgreeWhereTanhIsAllButOne) {
  check<float>(9, 20, 4, 1000, 17);  // clamped
  check<float>(9, 20, 4, 17, 40);
  check<double>(9, 20, 4, 1000, 160);
  check<double>(9, 20, 4, 100, 300);
}

TEST_P(AdditivePairsKernels, FindTheGreatest) {
  for (const int64_t n : {1, 7, 16, 33}) {
    Guarded<float> x(n, 1, 0.5);
    x[n - 1] = -3;
    EXPECT_EQ(greatest_magnitude(x.data(), n), 3);
    for (const float odd :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      x[0] = odd;
      EXPECT_TRUE(std::isnan(greatest_magnitude(x.data(), n))) << n;
    }
  }
  EXPECT_EQ(greatest_magnitude(static_cast<const double*>(nullptr), 0), 0);
}

INSTANTIATE_TEST_SUITE_P(Isa, AdditivePairsKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
