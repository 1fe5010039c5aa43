// Attention with a sentence a lane against its formula in double, row by row: odd sizes, empty
// sentences, other orders, causal and with dropout, on every ISA; guards show that nothing else is
// written.
#include "attend/kernels/short_attention.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "attend/core/random.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

using Doubles = std::vector<double>;
constexpr double kProbability = 0.3;
constexpr int64_t kGap = 3;  // between rows

struct Case {
  std::vector<int64_t> queries, keys;  // lengths
  int64_t heads, width, value_width;
  bool causal, dropout;
};

std::vector<int64_t> offsets_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> offsets = {0};
  for (const int64_t n : lengths) offsets.push_back(offsets.back() + n);
  return offsets;
}

// Output and gradients of sum(out * d_out), contiguous rows.
struct Expected {
  Doubles out, d_query, d_key, d_value;
};

template <class T>
struct Data {
  explicit Data(const Case& c)
      : shape(c),
        query_offsets(offsets_of(c.queries)),
        key_offsets(offsets_of(c.keys)),
        q(query_offsets.back() * query_stride(), 1, 2),
        k(key_offsets.back() * query_stride(), 2, 2),
        v(key_offsets.back() * value_stride(), 3),
        d_out(query_offsets.back() * value_stride(), 4) {
    for (size_t b = c.queries.size(); b-- > 0;) order.push_back(static_cast<int64_t>(b));
    for (int64_t i = 0; i < c.heads * query_offsets.back(); ++i)
      row_keys.push_back(core::dropout_row_key(7, 3, 2, static_cast<uint64_t>(i)));
  }
  int64_t query_stride() const { return shape.heads * shape.width + kGap; }
  int64_t value_stride() const { return shape.heads * shape.value_width + kGap; }
  double scale() const { return 1 / std::sqrt(static_cast<double>(shape.width)); }

  ShortAttention<T> operands() {
    return {q,
            k,
            v,
            query_stride(),
            query_stride(),
            value_stride(),
            query_offsets.data(),
            key_offsets.data(),
            order.data(),
            static_cast<int64_t>(order.size()),
            shape.heads,
            shape.width,
            shape.value_width,
            shape.causal,
            static_cast<T>(scale()),
            shape.dropout ? row_keys.data() : nullptr,
            core::dropout_threshold(kProbability),
            static_cast<T>(1 / (1 - kProbability))};
  }

  double multiplier(int64_t head, int64_t row, int64_t key) const {
    if (!shape.dropout) return 1;
    const uint32_t of_row = row_keys[static_cast<size_t>(head * query_offsets.back() + row)];
    return core::dropout_keeps(of_row, static_cast<uint32_t>(key),
                               core::dropout_threshold(kProbability))
               ? 1 / (1 - kProbability)
               : 0;
  }

  const Case& shape;
  std::vector<int64_t> query_offsets, key_offsets, order;
  Guarded<T> q, k, v, d_out;
  std::vector<uint32_t> row_keys;
};

// One query of one head.
template <class T>
void add_query(Data<T>& x, int64_t h, int64_t row, int64_t first_key, int64_t seen, Expected& e) {
  const auto& c = x.shape;
  const auto q = [&](int64_t f) { return double{x.q[row * x.query_stride() + h * c.width + f]}; };
  const auto k = [&](int64_t j, int64_t f) {
    return double{x.k[(first_key + j) * x.query_stride() + h * c.width + f]};
  };
  const auto at_v = [&](int64_t i, int64_t f) {
    return i * x.value_stride() + h * c.value_width + f;
  };
  Doubles w, d_w;
  double sum = 0, mean = 0;
  for (int64_t j = 0; j < seen; ++j) {
    double score = 0;
    for (int64_t f = 0; f < c.width; ++f) score += q(f) * k(j, f) * x.scale();
    w.push_back(std::exp(score));
    sum += w.back();
  }
  for (int64_t j = 0; j < seen; ++j) {
    const double m = x.multiplier(h, row, j);
    w[static_cast<size_t>(j)] /= sum;
    d_w.push_back(0);
    for (int64_t f = 0; f < c.value_width; ++f) {
      const double v = x.v[at_v(first_key + j, f)], d_out = x.d_out[at_v(row, f)];
      const double weight = w[static_cast<size_t>(j)] * m;
      e.out[static_cast<size_t>(at_v(row, f))] += weight * v;
      e.d_value[static_cast<size_t>(at_v(first_key + j, f))] += weight * d_out;
      d_w.back() += m * v * d_out;
    }
    mean += w[static_cast<size_t>(j)] * d_w.back();
  }
  for (int64_t j = 0; j < seen; ++j)
    for (int64_t f = 0; f < c.width; ++f) {
      const double d = w[static_cast<size_t>(j)] * (d_w[static_cast<size_t>(j)] - mean) * x.scale();
      const int64_t column = h * c.width + f;
      e.d_query[static_cast<size_t>(row * x.query_stride() + column)] += d * k(j, f);
      e.d_key[static_cast<size_t>((first_key + j) * x.query_stride() + column)] += d * q(f);
    }
}

template <class T>
Expected by_formula(Data<T>& x) {
  const int64_t queries = x.query_offsets.back(), keys = x.key_offsets.back();
  const auto zeros = [](int64_t n) { return Doubles(static_cast<size_t>(n)); };
  Expected e{zeros(queries * x.value_stride()), zeros(queries * x.query_stride()),
             zeros(keys * x.query_stride()), zeros(keys * x.value_stride())};
  for (size_t b = 0; b < x.shape.queries.size(); ++b)
    for (int64_t h = 0; h < x.shape.heads; ++h)
      for (int64_t i = 0; i < x.shape.queries[b]; ++i)
        add_query(x, h, x.query_offsets[b] + i, x.key_offsets[b],
                  x.shape.causal ? i + 1 : x.shape.keys[b], e);
  return e;
}

// What lies between rows has to be as Guarded made it.
template <class T>
void compare(Guarded<T>& found, const Doubles& expected, int64_t stride, const char* what) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (at % stride >= stride - kGap) {
      ASSERT_EQ(found[at], static_cast<T>(std::cos(at))) << "between rows of " << what << " " << i;
    } else {
      ASSERT_NEAR(found[at], expected[i], 8 * tolerance<T>()) << what << " " << i;
    }
  }
}

template <class T>
void check(const Case& c) {
  Data<T> x(c);
  const Expected e = by_formula(x);
  const int64_t queries = x.query_offsets.back(), keys = x.key_offsets.back();
  Guarded<T> out(queries * x.value_stride()), d_query(queries * x.query_stride()),
      d_key(keys * x.query_stride()), d_value(keys * x.value_stride());
  const ShortAttention<T> p = x.operands();
  Guarded<T> scratch(short_attention_scratch(p), 0, std::nan(""));
  short_attention_forward(p, out, x.value_stride(), scratch);
  compare(out, e.out, x.value_stride(), "out");
  short_attention_backward(
      p,
      ShortAttentionGradients<T>{x.d_out, d_query, d_key, d_value, x.value_stride(),
                                 x.query_stride(), x.query_stride(), x.value_stride()},
      scratch);
  compare(d_query, e.d_query, x.query_stride(), "d_query");
  compare(d_key, e.d_key, x.query_stride(), "d_key");
  compare(d_value, e.d_value, x.value_stride(), "d_value");
}

class ShortAttentionKernels : public EveryIsa {};

TEST_P(ShortAttentionKernels, AgreeWithTheFormula) {
  std::vector<int64_t> lengths, others;
  for (int64_t b = 0; b < 21; ++b) {  // more than one group on any ISA
    lengths.push_back(1 + b * 5 % 9);
    others.push_back(b % 6);
  }
  others[3] = 11;
  for (const bool dropout : {false, true})
    for (const int64_t width : {1, 3, 4, 7, 8, 18}) {
      for (const bool causal : {false, true}) {
        const Case self{lengths, lengths, 2, width, width, causal, dropout};
        check<float>(self);
        check<double>(self);
      }
      const Case cross{lengths, others, 3, width, 5, false, dropout};
      check<float>(cross);
      check<double>(cross);
    }
}

TEST_P(ShortAttentionKernels, TakesEmptySentences) {
  check<float>({{0, 2, 0}, {3, 0, 0}, 2, 4, 4, false, true});
  check<double>({{0, 2, 0}, {0, 2, 0}, 2, 4, 4, true, true});
  check<float>({{4}, {0}, 1, 5, 2, false, false});
}

INSTANTIATE_TEST_SUITE_P(Isa, ShortAttentionKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
