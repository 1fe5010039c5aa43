// Attention of one head in blocks, against its formula in plain double arithmetic, on every ISA.
#include "attend/kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/core/random.h"
#include "attend/kernels/transpose.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

struct Case {
  std::string name;
  int64_t queries, keys, width, value_width;
  int64_t least = -100000, most = 100000;
  bool lengths = false, hidden = false, bias = false, distance = false, dropout = false;
  bool squares = false;  // what is hidden is hidden in squares that hold whole blocks
  bool seen = false;     // some keys are left out beforehand
};

constexpr int64_t kGap = 3;  // between rows

// Everything one head needs, and the formula for it. Query 1 of `lengths` and of `hidden` sees
// nothing.
template <class T>
struct Sides {
  explicit Sides(const Case& of) : c(of) {
    for (int64_t i = 0; i < c.queries; ++i) {
      lengths.push_back(i == 1 ? 0 : std::min<int64_t>(c.keys, (i * 7) % (c.keys + 1)));
      row_keys.push_back(core::mix32(static_cast<uint32_t>(i)));
      for (int64_t j = 0; j < c.keys; ++j)
        hidden.push_back(i == 1 || (c.squares ? (i / 70 + j / 140) % 2 : (i * 5 + j * 3) % 4) == 0);
    }
    for (int64_t j = 0; j < c.keys; ++j)
      if (j * 7 % 5 > 1) seen.push_back(static_cast<int32_t>(j));
    seen.reserve(1);      // so that it has an address
    hidden.push_back(1);  // so that it is not empty
  }

  AttentionHead<T> head() {
    AttentionHead<T> h{q,         c.width + kGap, k,       c.width + kGap, v,  c.value_width + kGap,
                       c.queries, c.keys,         c.width, c.value_width,  0.3};
    h.least = c.least;
    h.most = c.most;
    if (c.lengths) h.lengths = lengths.data();
    if (c.hidden) h.hidden = reinterpret_cast<const bool*>(hidden.data());
    h.hidden_row = c.keys;
    h.hidden_column = 1;
    if (c.seen) h.seen = seen.data(), h.seen_count = static_cast<int64_t>(seen.size());
    if (c.bias) h.bias = bias.data();
    h.bias_row = c.keys + kGap;
    if (c.distance) h.distance = distance.data() + c.queries - 1;
    if (c.dropout) h.row_keys = row_keys.data();
    h.dropout = c.dropout ? 0.4 : 0;
    return h;
  }

  bool sees(int64_t i, int64_t j) const {
    return j - i >= c.least && j - i <= c.most &&
           (!c.lengths || j < lengths[static_cast<size_t>(i)]) && (!c.seen || j * 7 % 5 > 1) &&
           (!c.hidden || hidden[static_cast<size_t>(i * c.keys + j)] == 0);
  }
  double kept(int64_t i, int64_t j) const {
    if (!c.dropout) return 1;
    return core::dropout_keeps(row_keys[static_cast<size_t>(i)], static_cast<uint32_t>(j),
                               core::dropout_threshold(0.4))
               ? 1 / 0.6
               : 0;
  }
  // Row i of the weights.
  std::vector<double> weights(int64_t i) {
    std::vector<double> w(static_cast<size_t>(c.keys), 0);
    double greatest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < c.keys; ++j) {
      double s = 0;
      for (int64_t a = 0; a < c.width; ++a)
        s += 0.3 * double{q[i * (c.width + kGap) + a]} * double{k[j * (c.width + kGap) + a]};
      if (c.bias) s += double{bias[i * (c.keys + kGap) + j]};
      if (c.distance) s += double{distance[j - i + c.queries - 1]};
      w[static_cast<size_t>(j)] = s;
      if (sees(i, j)) greatest = std::max(greatest, s);
    }
    for (int64_t j = 0; j < c.keys; ++j) {
      double& x = w[static_cast<size_t>(j)];
      x = sees(i, j) ? std::exp(x - greatest) : 0;
      sum += x;
    }
    for (double& x : w) x = sum == 0 ? 0 : x / sum;
    return w;
  }

  const Case c;
  std::vector<int64_t> lengths;
  std::vector<char> hidden;
  std::vector<int32_t> seen;
  std::vector<uint32_t> row_keys;
  Guarded<T> q{c.queries * (c.width + kGap), 1, 1.5}, k{c.keys * (c.width + kGap), 2, 1.5};
  Guarded<T> v{c.keys * (c.value_width + kGap), 3}, d_out{c.queries * (c.value_width + kGap), 5};
  Guarded<T> bias{c.queries * (c.keys + kGap), 4}, distance{c.queries + c.keys, 6};
  Guarded<T> out{c.queries * (c.value_width + kGap), 9}, sums{2 * c.queries};
};

double& at(std::vector<double>& x, int64_t i) { return x[static_cast<size_t>(i)]; }

template <class T>
void check_forward(Sides<T>& x, const AttentionHead<T>& head, T* scratch) {
  const Case& c = x.c;
  const int64_t value_stride = c.value_width + kGap, weight_stride = c.keys + 1;
  const std::vector<T> before(x.out.data(), x.out.data() + c.queries * value_stride);
  attention_forward(head, AttentionOutput<T>{x.out, value_stride, x.sums}, scratch);
  Guarded<T> all(c.queries * weight_stride, 8);
  attention_weights(head, x.sums.data(), all.data(), weight_stride, scratch);
  const double close = 5 * tolerance<T>();
  for (int64_t i = 0; i < c.queries; ++i) {
    std::vector<double> w = x.weights(i), sums(static_cast<size_t>(c.value_width), 0);
    for (int64_t j = 0; j < c.keys; ++j) {
      ASSERT_NEAR(all[i * weight_stride + j], at(w, j), close) << "weight " << i << " " << j;
      for (int64_t b = 0; b < c.value_width; ++b)
        at(sums, b) += at(w, j) * x.kept(i, j) * double{x.v[j * value_stride + b]};
    }
    for (int64_t b = 0; b < value_stride; ++b) {
      const int64_t n = i * value_stride + b;
      if (b < c.value_width)
        ASSERT_NEAR(x.out[n], at(sums, b), close) << "output " << i << " " << b;
      else
        ASSERT_EQ(x.out[n], before[static_cast<size_t>(n)]) << "between rows";
    }
  }
}

// The gradients in double, in the places of those of the kernels.
struct Gradients {
  std::vector<double> q, k, v, bias, distance;
};

// Adds those of query i.
template <class T>
void add_query(Sides<T>& x, int64_t i, Gradients& e) {
  const Case& c = x.c;
  const int64_t stride = c.width + kGap, value_stride = c.value_width + kGap;
  std::vector<double> w = x.weights(i), d_w(w.size(), 0);
  double mean = 0;
  for (int64_t j = 0; j < c.keys; ++j) {
    for (int64_t b = 0; b < c.value_width; ++b) {
      const double d = x.kept(i, j) * double{x.d_out[i * value_stride + b]};
      at(d_w, j) += d * double{x.v[j * value_stride + b]};
      at(e.v, j * value_stride + b) += at(w, j) * d;
    }
    mean += at(w, j) * at(d_w, j);
  }
  for (int64_t j = 0; j < c.keys; ++j) {
    const double d = at(w, j) * (at(d_w, j) - mean);
    for (int64_t a = 0; a < c.width; ++a) {
      at(e.q, i * stride + a) += 0.3 * d * double{x.k[j * stride + a]};
      at(e.k, j * stride + a) += 0.3 * d * double{x.q[i * stride + a]};
    }
    at(e.bias, i * (c.keys + kGap) + j) += d;
    at(e.distance, j - i + c.queries - 1) += d;
  }
}

// After check_forward().
template <class T>
void check_backward(Sides<T>& x, const AttentionHead<T>& head, T* scratch) {
  const Case& c = x.c;
  const int64_t stride = c.width + kGap, value_stride = c.value_width + kGap;
  Guarded<T> d_q(c.queries * stride, 1), d_k(c.keys * stride, 2), d_v(c.keys * value_stride, 3);
  Guarded<T> d_bias(c.queries * (c.keys + kGap), 4), d_distance(c.queries + c.keys, 5);
  const auto copy = [](Guarded<T>& g, int64_t n) {
    return std::vector<double>(g.data(), g.data() + n);
  };
  Gradients e{copy(d_q, c.queries * stride), copy(d_k, c.keys * stride),
              copy(d_v, c.keys * value_stride), copy(d_bias, c.queries * (c.keys + kGap)),
              copy(d_distance, c.queries + c.keys)};
  for (int64_t i = 0; i < c.queries; ++i) {
    std::fill_n(e.q.begin() + i * stride, c.width, 0.0);  // written, the others are added to
    add_query(x, i, e);
  }
  AttentionGradients<T> g{x.out,  value_stride, x.sums, x.d_out, value_stride, d_q,
                          stride, d_k,          stride, d_v,     value_stride};
  if (c.bias) g.d_bias = d_bias;
  g.d_bias_row = c.keys + kGap;
  if (c.distance) g.d_distance = d_distance.data() + c.queries - 1;
  attention_backward(head, g, scratch);
  const double close = 20 * tolerance<T>();
  const auto compare = [&](Guarded<T>& found, const std::vector<double>& expected, double slack,
                           const char* name) {
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(found[static_cast<int64_t>(i)], expected[i], slack) << name << " " << i;
  };
  const double of_sums = close * std::sqrt(1.0 + static_cast<double>(c.queries));
  compare(d_q, e.q, close, "d_q");
  compare(d_k, e.k, of_sums, "d_k");
  compare(d_v, e.v, of_sums, "d_v");
  if (c.bias) compare(d_bias, e.bias, of_sums, "d_bias");
  if (c.distance) compare(d_distance, e.distance, of_sums, "d_distance");
}

template <class T>
void check(const Case& c) {
  SCOPED_TRACE(c.name + (sizeof(T) == 4 ? " float " : " double ") + std::to_string(c.queries) +
               " x " + std::to_string(c.keys) + " of " + std::to_string(c.width) + " and " +
               std::to_string(c.value_width));
  Sides<T> x(c);
  const AttentionHead<T> head = x.head();
  Guarded<T> scratch(attention_scratch(head));
  check_forward(x, head, scratch.data());
  check_backward(x, head, scratch.data());
}

std::vector<Case> kinds(int64_t queries, int64_t keys, int64_t width, int64_t value_width) {
  const Case plain{"plain", queries, keys, width, value_width};
  std::vector<Case> cases = {plain};
  const auto add = [&](const std::string& name, const std::function<void(Case&)>& change) {
    cases.push_back(plain);
    cases.back().name = name;
    change(cases.back());
  };
  add("causal", [](Case& c) { c.most = c.keys - c.queries; });
  add("window", [](Case& c) { c.least = -4, c.most = 5; });
  add("beyond", [](Case& c) { c.least = c.keys; });  // nobody sees anything
  add("lengths, dropout", [](Case& c) { c.lengths = c.dropout = true; });
  add("hidden, distance", [](Case& c) { c.hidden = c.distance = true; });
  add("causal, bias, dropout", [](Case& c) { c.most = 0, c.bias = c.dropout = true; });
  add("squares", [](Case& c) { c.hidden = c.squares = true; });
  add("some keys", [](Case& c) { c.seen = true; });
  add("some keys, causal, bias, distance", [](Case& c) {
    c.most = c.keys - c.queries;
    c.seen = c.bias = c.distance = true;
  });
  for (const bool seen : {false, true})
    add(seen ? "all of some keys" : "all", [seen](Case& c) {
      c.least = -40, c.most = 30;
      c.lengths = c.hidden = c.bias = c.distance = c.dropout = true;
      c.seen = seen;
    });
  return cases;
}

class AttentionKernels : public EveryIsa {};

TEST_P(AttentionKernels, AgreeWithTheFormula) {
  for (const int64_t keys : {0, 1, 2, 9, 31, 33, 130})
    for (const int64_t queries : {0, 1, 2, 15, 34})
      for (const Case& c : kinds(queries, keys, 1 + (keys * 3 + queries) % 19, 1 + keys % 18)) {
        check<float>(c);
        check<double>(c);
      }
}

TEST_P(AttentionKernels, AgreeWhereThereAreManyBlocks) {
  for (const Case& c : kinds(1, 1030, 8, 8)) check<float>(c);
  for (const Case& c : kinds(257, 300, 16, 64)) check<float>(c);
  for (const Case& c : kinds(100, 270, 40, 7)) check<double>(c);
}

// What is not seen is not read, wherever it stands.
TEST_P(AttentionKernels, LeaveOutKeysUnread) {
  Case c{"unread", 40, 150, 5, 3};
  c.seen = true;
  Sides<float> x(c);
  const AttentionHead<float> head = x.head();
  Guarded<float> scratch(attention_scratch(head));
  const int64_t stride = c.value_width + kGap;
  attention_forward(head, AttentionOutput<float>{x.out, stride, x.sums}, scratch.data());
  const std::vector<float> before(x.out.data(), x.out.data() + c.queries * stride);
  for (int64_t j = 0; j < c.keys; ++j) {
    if (j * 7 % 5 > 1) continue;
    x.k[j * (c.width + kGap)] = x.v[j * stride] = std::nanf("");
  }
  attention_forward(head, AttentionOutput<float>{x.out, stride, x.sums}, scratch.data());
  for (int64_t n = 0; n < c.queries * stride; ++n)
    ASSERT_EQ(x.out[n], before[static_cast<size_t>(n)]) << n;
}

// Scores far beyond what 2^x can hold.
TEST_P(AttentionKernels, ManageGreatScores) {
  Case c{"great", 20, 150, 5, 3};
  Sides<float> x(c);
  for (int64_t i = 0; i < c.queries * (c.width + kGap); ++i) x.q[i] *= 1000;
  AttentionHead<float> head = x.head();
  Guarded<float> scratch(attention_scratch(head));
  attention_forward(head, AttentionOutput<float>{x.out, c.value_width + kGap, x.sums},
                    scratch.data());
  for (int64_t i = 0; i < c.queries; ++i) {
    const std::vector<double> w = x.weights(i);
    double sum = 0;
    for (int64_t j = 0; j < c.keys; ++j)
      sum += w[static_cast<size_t>(j)] * double{x.v[j * (c.value_width + kGap)]};
    EXPECT_NEAR(x.out[i * (c.value_width + kGap)], sum, 2e-3) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, AttentionKernels, isas(), isa_name);

class Transpose : public EveryIsa {};

template <class T>
void check_transpose(int64_t rows, int64_t columns) {
  Guarded<T> from(rows * (columns + 1), 1), to(columns * (rows + 2), 2);
  const std::vector<T> before(to.data(), to.data() + columns * (rows + 2));
  transpose(TransposeOperands<T>{from, columns + 1, to, rows + 2, rows, columns, T(0.5)});
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows + 2; ++i) {
      const T expected = i < rows ? T(0.5) * from[i * (columns + 1) + j]
                                  : before[static_cast<size_t>(j * (rows + 2) + i)];
      ASSERT_EQ(to[j * (rows + 2) + i], expected) << rows << " x " << columns;
    }
}

TEST_P(Transpose, TurnsRowsIntoColumns) {
  for (const int64_t rows : {0, 1, 3, 4, 8, 17})
    for (const int64_t columns : {0, 1, 2, 5, 8, 19}) {
      check_transpose<float>(rows, columns);
      check_transpose<double>(rows, columns);
    }
}

INSTANTIATE_TEST_SUITE_P(Isa, Transpose, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
