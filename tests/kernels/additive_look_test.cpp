// Additive attention of one query a sentence against its formula in plain double arithmetic, its
// gradients by central differences, at odd sizes, on every ISA.
#include "attend/kernels/additive_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

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

}  // namespace
}  // namespace attend::kernels
