// Each kernel against its formula in plain double arithmetic, at odd sizes, on every ISA; guards
// around each output show that nothing else is written.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attend/core/errors.h"
#include "attend/kernels/additive_look.h"
#include "attend/kernels/gemm.h"
#include "attend/kernels/gru.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

const int64_t kWidths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 70};

class Gemm : public EveryIsa {};

template <class T>
void check_gemm(int64_t m, int64_t n, int64_t k, bool transposed, bool accumulate) {
  Guarded<T> a(m * k, 1), b(k * n, 2), c(m * n, 3);
  std::vector<double> expected(static_cast<size_t>(m * n));
  const int64_t row = transposed ? 1 : k, column = transposed ? m : 1;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = accumulate ? c[i * n + j] : 0.0;
      for (int64_t l = 0; l < k; ++l) sum += double{a[i * row + l * column]} * double{b[l * n + j]};
      expected[static_cast<size_t>(i * n + j)] = sum;
    }
  gemm(GemmOperands<T>{a, row, column, b, n, c, n, m, n, k, accumulate});
  for (int64_t i = 0; i < m * n; ++i)
    ASSERT_NEAR(c[i], expected[static_cast<size_t>(i)], tolerance<T>() * static_cast<double>(k + 1))
        << m << " x " << n << " x " << k << " at " << i;
}

TEST_P(Gemm, AgreesWithTheSum) {
  for (const int64_t m : {0, 1, 2, 5, 6, 7, 11, 12, 13, 25})
    for (const int64_t n : kWidths)
      for (const int64_t k : {0, 1, 2, 33}) {
        check_gemm<float>(m, n, k, (m + n) % 2 == 0, n % 2 == 0);
        check_gemm<double>(m, n, k, (m + k) % 2 == 0, n % 2 != 0);
      }
}

// From panels, with bias and ReLU, deeper and taller than a block.
template <class T>
void check_packed(int64_t m, int64_t n, int64_t k, bool transposed) {
  Guarded<T> a(m * k, 1), b(k * n, 2), bias(n, 3), c(m * n), panels(gemm_packed_size<T>(k, n));
  gemm_pack(GemmPack<T>{b, transposed ? 1 : n, transposed ? k : 1, k, n, panels});
  GemmOperands<T> p{a, k, 1, panels, 0, c, n, m, n, k, false};
  p.packed = p.relu = true;
  p.bias = bias;
  gemm(p);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = bias[j];
      for (int64_t l = 0; l < k; ++l)
        sum += double{a[i * k + l]} * double{b[transposed ? j * k + l : l * n + j]};
      ASSERT_NEAR(c[i * n + j], std::max(sum, 0.0), tolerance<T>() * static_cast<double>(k + 1))
          << m << " x " << n << " x " << k << " at " << i << ", " << j;
    }
}

TEST_P(Gemm, TakesPanelsBiasAndRelu) {
  for (const int64_t n : kWidths)
    for (const int64_t k : {0, 1, 33, 257, 600}) {
      check_packed<float>(13, n, k, n % 2 == 0);
      check_packed<double>(5, n, k, n % 2 != 0);
    }
  check_packed<float>(400, 40, 20, true);
}

TEST_P(Gemm, WritesWithoutReadingWhenNotAdding) {
  std::vector<float> c(40, std::numeric_limits<float>::quiet_NaN()), a(8, 1), b(10, 1);
  gemm(GemmOperands<float>{a.data(), 2, 1, b.data(), 5, c.data(), 5, 4, 5, 2, false});
  EXPECT_EQ(c[19], 2.0F);
}

INSTANTIATE_TEST_SUITE_P(Isa, Gemm, isas(), isa_name);

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class GruKernels : public EveryIsa {};

template <class T>
void check_gru(int64_t n, int64_t width, double scale) {
  Guarded<T> input(n * 3 * width, 1, scale), products(n * 3 * width, 2), bias(3 * width, 3);
  Guarded<T> state(n * width, 4), rows(n * width), previous(n * width), gates(n * 2 * width),
      recurrent(n * width), candidate(n * width);
  std::vector<double> expected;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < width; ++j) {
      const auto in = [&](int64_t gate) { return double{input[(i * 3 + gate) * width + j]}; };
      const auto hidden = [&](int64_t gate) {
        return double{products[(i * 3 + gate) * width + j]} + double{bias[gate * width + j]};
      };
      const double r = sigmoid(in(0) + hidden(0)), z = sigmoid(in(1) + hidden(1));
      const double c = std::tanh(in(2) + r * hidden(2));
      expected.push_back((1 - z) * c + z * double{state[i * width + j]});
    }
  const std::vector<T> before(state.data(), state.data() + n * width);
  gru_forward(GruForwardRows<T>{input, products, bias, state, rows, previous, gates, recurrent,
                                candidate, n, width});
  for (int64_t i = 0; i < n * width; ++i) {
    ASSERT_NEAR(state[i], expected[static_cast<size_t>(i)], tolerance<T>()) << i;
    ASSERT_EQ(state[i], rows[i]);
    ASSERT_EQ(previous[i], before[static_cast<size_t>(i)]);
  }

  // The gradient of sum(h' * d), by its formula.
  Guarded<T> d_state(n * width, 5), d_input(n * 3 * width), d_hidden(n * 3 * width);
  const std::vector<T> d(d_state.data(), d_state.data() + n * width);
  gru_backward(GruBackwardRows<T>{previous, gates, recurrent, candidate, d_state, d_input, d_hidden,
                                  n, width});
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < width; ++j) {
      const int64_t at = i * width + j;
      const double r = gates[i * 2 * width + j], z = gates[(i * 2 + 1) * width + j];
      const double c = candidate[at], change = d[static_cast<size_t>(at)];
      const double d_c = change * (1 - z) * (1 - c * c);
      const double d_z = change * (double{previous[at]} - c) * z * (1 - z);
      const double d_r = d_c * double{recurrent[at]} * r * (1 - r);
      const double of_input[] = {d_r, d_z, d_c}, of_hidden[] = {d_r, d_z, d_c * r};
      for (int64_t gate = 0; gate < 3; ++gate) {
        ASSERT_NEAR(d_input[(i * 3 + gate) * width + j], of_input[gate], tolerance<T>());
        ASSERT_NEAR(d_hidden[(i * 3 + gate) * width + j], of_hidden[gate], tolerance<T>());
      }
      ASSERT_NEAR(d_state[at], change * z, tolerance<T>());
    }
}

TEST_P(GruKernels, AgreeWithTheFormula) {
  for (const int64_t width : kWidths)
    for (const int64_t n : {0, 1, 3}) {
      check_gru<float>(n, width, 1);
      check_gru<double>(n, width, 1);
    }
  check_gru<float>(2, 9, 200);  // saturated gates
  check_gru<double>(2, 9, 2000);
}

INSTANTIATE_TEST_SUITE_P(Isa, GruKernels, isas(), isa_name);

class AdditiveLookKernels : public EveryIsa {};

template <class T>
struct Look {
  int64_t n, sources, features, memory;
  bool hides, drops;
  Guarded<T> query{n * features, 1}, keys{n * sources * features, 2}, score{features, 3};
  Guarded<T> values{n * sources * memory, 4}, multiplier{n * sources, 5, 2};
  std::vector<char> hidden = std::vector<char>(static_cast<size_t>(n * sources + 1), 0);
  Guarded<T> weights{n * sources}, look{n * sources}, context{n * memory};

  AdditiveLookRows<T> rows() {
    for (int64_t i = 0; i < n * sources; ++i)  // sentence 0 sees nothing
      hidden[static_cast<size_t>(i)] = i < sources || i % 3 == 1;
    return {query,
            keys,
            values,
            score,
            hides ? reinterpret_cast<const bool*>(hidden.data()) : nullptr,
            drops ? multiplier.data() : nullptr,
            n,
            sources,
            features,
            memory};
  }
  // sum over the contexts of context * cos(...), in double, with query, key or value moved.
  double loss() {
    double total = 0;
    for (int64_t b = 0; b < n; ++b) {
      std::vector<double> w;
      double sum = 0;
      for (int64_t s = 0; s < sources; ++s) {
        double e = 0;
        for (int64_t a = 0; a < features; ++a)
          e += double{score[a]} * std::tanh(double{query[b * features + a]} +
                                            double{keys[(b * sources + s) * features + a]});
        w.push_back(hides && hidden[static_cast<size_t>(b * sources + s)] ? 0 : std::exp(e));
        sum += w.back();
      }
      for (int64_t s = 0; s < sources && sum > 0; ++s)
        for (int64_t m = 0; m < memory; ++m)
          total += w[static_cast<size_t>(s)] / sum *
                   (drops ? double{multiplier[b * sources + s]} : 1.0) *
                   double{values[(b * sources + s) * memory + m]} * direction(b * memory + m);
    }
    return total;
  }
  static double direction(int64_t i) { return std::cos(9.0 + static_cast<double>(i)); }
};

// The context by the double formula above; the gradients by its central differences.
template <class T>
void check_look(int64_t n, int64_t sources, int64_t features, int64_t memory, bool hides,
                bool drops) {
  Look<T> x{n, sources, features, memory, hides, drops};
  const auto rows = x.rows();
  additive_look_forward(rows, {x.weights, x.look, x.context});
  double loss = 0;
  for (int64_t i = 0; i < n * memory; ++i) loss += double{x.context[i]} * x.direction(i);
  ASSERT_NEAR(loss, x.loss(), 20 * tolerance<T>());
  for (int64_t b = 0; b < n; ++b) {
    double sum = 0;
    bool sees = false;
    for (int64_t s = b * sources; s < (b + 1) * sources; ++s) {
      sum += double{x.weights[s]};
      sees = sees || !hides || x.hidden[static_cast<size_t>(s)] == 0;
    }
    ASSERT_NEAR(sum, sees ? 1 : 0, 1e-6);
  }

  Guarded<T> d_context(n * memory, 9), d_scores(n * sources), d_query(n * features);
  Guarded<T> d_keys(n * sources * features, 0, 0), d_values(n * sources * memory, 0, 0);
  Guarded<T> d_score(features, 0, 0);
  additive_look_backward(
      rows, {d_context, x.weights, x.look, d_scores, d_query, d_keys, d_values, d_score});
  const auto compare = [&](Guarded<T>& moved, Guarded<T>& gradient, int64_t count,
                           const char* name) {
    for (int64_t i = 0; i < count; i += 1 + count / 7) {
      const T at = moved[i];
      const bool is_float = std::is_same_v<T, float>;
      const double step = is_float ? 1e-2 : 1e-5;
      moved[i] = static_cast<T>(at + step);
      const double up = x.loss(), high = moved[i];
      moved[i] = static_cast<T>(at - step);
      const double down = x.loss(), low = moved[i];
      moved[i] = at;
      ASSERT_NEAR(gradient[i], (up - down) / (high - low), is_float ? 3e-4 : 1e-8)
          << name << " " << i;
    }
  };
  compare(x.query, d_query, n * features, "query");
  compare(x.keys, d_keys, n * sources * features, "keys");
  compare(x.values, d_values, n * sources * memory, "values");
  compare(x.score, d_score, features, "score");
}

TEST_P(AdditiveLookKernels, AgreeWithTheFormulaAndItsDifferences) {
  for (const int64_t width : {1, 7, 16, 33})
    for (const int64_t sources : {0, 1, 5, 18})
      for (const bool hides : {false, true}) {
        check_look<float>(2, sources, width, 34 - width, hides, sources % 2 == 0);
        check_look<double>(2, sources, 34 - width, width, hides, sources % 2 != 0);
      }
}

INSTANTIATE_TEST_SUITE_P(Isa, AdditiveLookKernels, isas(), isa_name);

TEST(Isa, ForcesOneOrNamesThoseThereAre) {
  const auto all = supported_isas();
  ASSERT_FALSE(all.empty());
  force_isa(all.back());
  EXPECT_EQ(active_isa(), all.back());
  force_isa("");
  EXPECT_EQ(active_isa(), all.front());
  try {
    force_isa("ABACUS");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(all.front()));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("found ABACUS"));
  }
  EXPECT_EQ(active_isa(), all.front());
}

}  // namespace
}  // namespace attend::kernels
