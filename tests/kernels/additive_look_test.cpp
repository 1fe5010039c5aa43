// Additive attention of one query a sentence against its formula in plain double arithmetic, its
// gradients by central differences, at odd sizes, on every ISA.
#include "attend/kernels/additive_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

class AdditiveLookKernels : public EveryIsa {};

// Packed, row b has (5 b + 3) % (S + 1) cells, and rows lie in the order of their numbers backwards
// with a cell between them.
template <class T>
struct Look {
  int64_t n, sources, features, memory;
  bool hides, drops, packed;
  Guarded<T> query{n * features, 1}, keys{n * (sources + 1) * features, 2}, score{features, 3};
  Guarded<T> values{n * (sources + 1) * memory, 4}, multiplier{n * sources, 5, 2};
  std::vector<int64_t> begins = {}, lengths = {};
  std::vector<char> hidden = std::vector<char>(static_cast<size_t>(n * sources + 1), 0);
  Guarded<T> weights{n * sources}, look{n * sources}, context{n * memory};

  AdditiveLookRows<T> rows() {
    for (int64_t i = 0; i < n * sources; ++i)  // sentence 0 sees nothing
      hidden[static_cast<size_t>(i)] = i < sources || i % 3 == 1;
    AdditiveLookRows<T> p{query,
                          keys,
                          values,
                          score,
                          hides ? reinterpret_cast<const bool*>(hidden.data()) : nullptr,
                          drops ? multiplier.data() : nullptr,
                          n,
                          sources,
                          features,
                          memory};
    begins.assign(static_cast<size_t>(n), 0);
    lengths.assign(static_cast<size_t>(n), sources);
    int64_t next = 0;
    for (int64_t b = n; b-- > 0;) {
      const auto at = static_cast<size_t>(b);
      begins[at] = packed ? next : b * sources;
      if (packed) lengths[at] = (5 * b + 3) % (sources + 1);
      next += lengths[at] + 1;
    }
    if (packed) {
      p.begins = begins.data();
      p.lengths = lengths.data();
    }
    return p;
  }
  int64_t begin(int64_t b) const { return begins[static_cast<size_t>(b)]; }
  int64_t length(int64_t b) const { return lengths[static_cast<size_t>(b)]; }
  // sum over the contexts of context * cos(...), in double, with query, key or value moved.
  double loss() {
    double total = 0;
    for (int64_t b = 0; b < n; ++b) {
      std::vector<double> w;
      double sum = 0;
      for (int64_t s = 0; s < length(b); ++s) {
        double e = 0;
        for (int64_t a = 0; a < features; ++a)
          e += double{score[a]} * std::tanh(double{query[b * features + a]} +
                                            double{keys[(begin(b) + s) * features + a]});
        w.push_back(hides && hidden[static_cast<size_t>(b * sources + s)] ? 0 : std::exp(e));
        sum += w.back();
      }
      for (int64_t s = 0; s < length(b) && sum > 0; ++s)
        for (int64_t m = 0; m < memory; ++m)
          total += w[static_cast<size_t>(s)] / sum *
                   (drops ? double{multiplier[b * sources + s]} : 1.0) *
                   double{values[(begin(b) + s) * memory + m]} * direction(b * memory + m);
    }
    return total;
  }
  static double direction(int64_t i) { return std::cos(9.0 + static_cast<double>(i)); }
};

// The context by the double formula above.
template <class T>
void check_forward(Look<T>& x, const AdditiveLookRows<T>& rows) {
  const std::vector<T> weights(x.weights.data(), x.weights.data() + x.n * x.sources);
  additive_look_forward(rows, {x.weights, x.look, x.context});
  double loss = 0;
  for (int64_t i = 0; i < x.n * x.memory; ++i) loss += double{x.context[i]} * x.direction(i);
  ASSERT_NEAR(loss, x.loss(), 20 * tolerance<T>());
  for (int64_t b = 0; b < x.n; ++b) {
    double sum = 0;
    bool sees = false;
    for (int64_t s = b * x.sources; s < b * x.sources + x.length(b); ++s) {
      sum += double{x.weights[s]};
      sees = sees || !x.hides || x.hidden[static_cast<size_t>(s)] == 0;
    }
    ASSERT_NEAR(sum, sees ? 1 : 0, 1e-6);
    for (int64_t s = b * x.sources + x.length(b); s < (b + 1) * x.sources; ++s)
      ASSERT_EQ(x.weights[s], weights[static_cast<size_t>(s)]) << "beyond the row's cells";
  }
}

// The gradients, added to what was there, by the formula's central differences.
template <class T>
void compare(Look<T>& x, Guarded<T>& moved, Guarded<T>& gradient, double was, int64_t count,
             const char* name) {
  const bool is_float = std::is_same_v<T, float>;
  const double step = is_float ? 1e-2 : 1e-5;
  for (int64_t i = 0; i < count; i += 1 + count / 7) {
    const T at = moved[i];
    moved[i] = static_cast<T>(at + step);
    const double up = x.loss(), high = moved[i];
    moved[i] = static_cast<T>(at - step);
    const double down = x.loss(), low = moved[i];
    moved[i] = at;
    ASSERT_NEAR(gradient[i], was + (up - down) / (high - low), is_float ? 3e-4 : 1e-8)
        << name << " " << i;
  }
}

template <class T>
void check(Look<T> x) {
  const AdditiveLookRows<T> rows = x.rows();
  check_forward(x, rows);
  const int64_t cells = x.n * (x.sources + 1);
  Guarded<T> d_context(x.n * x.memory, 9), d_scores(x.n * x.sources), d_query(x.n * x.features);
  Guarded<T> d_keys(cells * x.features, 0, 0), d_values(cells * x.memory, 0, 0);
  Guarded<T> d_score(x.features, 0, 0);
  for (int64_t i = 0; i < cells * x.features; ++i) d_keys[i] = 2;
  for (int64_t i = 0; i < cells * x.memory; ++i) d_values[i] = 3;
  for (int64_t i = 0; i < x.features; ++i) d_score[i] = 4;
  additive_look_backward(
      rows, {d_context, x.weights, x.look, d_scores, d_query, d_keys, d_values, d_score});
  compare(x, x.query, d_query, 0, x.n * x.features, "query");
  compare(x, x.keys, d_keys, 2, cells * x.features, "keys");
  compare(x, x.values, d_values, 3, cells * x.memory, "values");
  compare(x, x.score, d_score, 4, x.features, "score");
}

TEST_P(AdditiveLookKernels, AgreeWithTheFormulaAndItsDifferences) {
  for (const int64_t width : {1, 7, 16, 33})
    for (const int64_t sources : {0, 1, 5, 18})
      for (const bool hides : {false, true})
        for (const bool packed : {false, true}) {
          const bool odd = sources % 2 != 0;
          check(Look<float>{packed ? 4 : 2, sources, width, 34 - width, hides, !odd, packed});
          check(Look<double>{packed ? 4 : 2, sources, 34 - width, width, hides, odd, packed});
        }
}

INSTANTIATE_TEST_SUITE_P(Isa, AdditiveLookKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
