// The kernels on rows (dropout, residual sum and norm, cross-entropy, activation, optimiser)
// against their formulas in plain double arithmetic, at odd sizes, on every ISA.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "attend/core/random.h"
#include "attend/kernels/activation.h"
#include "attend/kernels/cross_entropy.h"
#include "attend/kernels/dropout.h"
#include "attend/kernels/optimiser.h"
#include "attend/kernels/residual_norm.h"
#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

using Doubles = std::vector<double>;

const int64_t kWidths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 70, 129};
constexpr double kProbability = 0.3;

std::vector<uint32_t> row_keys(int64_t rows) {
  std::vector<uint32_t> keys;
  for (int64_t i = 0; i <= rows; ++i)
    keys.push_back(core::dropout_row_key(7, 3, 2, static_cast<uint64_t>(i)));
  return keys;
}

// What the scalar function of core says.
double multiplier(uint32_t key, int64_t column) {
  const uint32_t threshold = core::dropout_threshold(kProbability);
  return core::dropout_keeps(key, static_cast<uint32_t>(column), threshold) ? 1 / (1 - kProbability)
                                                                            : 0;
}

template <class T>
T kept() {
  return static_cast<T>(1 / (1 - kProbability));
}

template <class T>
std::vector<T> copy(Guarded<T>& x, int64_t n) {
  return std::vector<T>(x.data(), x.data() + n);
}

template <class T>
class Near {
 public:
  explicit Near(double factor) : tolerance_(factor * tolerance<T>()) {}
  void operator()(double found, double expected, const char* what, int64_t at) const {
    ASSERT_NEAR(found, expected, tolerance_ * (1 + std::abs(expected))) << what << " " << at;
  }

 private:
  double tolerance_;
};

class RowKernels : public EveryIsa {};

template <class T>
void check_dropout(int64_t rows, int64_t columns) {
  const int64_t stride_x = columns + 3, stride_y = columns + 1;
  Guarded<T> x(rows * stride_x, 1), y(rows * stride_y, 2), mask(rows * columns);
  const std::vector<T> before = copy(y, rows * stride_y);
  const auto keys = row_keys(rows);
  const uint32_t threshold = core::dropout_threshold(kProbability);
  dropout(
      DropoutRows<T>{x, y, keys.data(), rows, columns, stride_x, stride_y, threshold, kept<T>()});
  dropout(
      DropoutRows<T>{nullptr, mask, keys.data(), rows, columns, 0, columns, threshold, kept<T>()});
  dropout(
      DropoutRows<T>{x, x, keys.data(), rows, columns, stride_x, stride_x, threshold, kept<T>()});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const double m = multiplier(keys[static_cast<size_t>(i)], j);
      const T value = static_cast<T>(std::cos(1.0 + static_cast<double>(i * stride_x + j)));
      ASSERT_EQ(mask[i * columns + j], m == 0 ? T(0) : kept<T>());
      ASSERT_EQ(y[i * stride_y + j], m == 0 ? T(0) : value * kept<T>());
      ASSERT_EQ(x[i * stride_x + j], y[i * stride_y + j]);
    }
    ASSERT_EQ(y[i * stride_y + columns], before[static_cast<size_t>(i * stride_y + columns)]);
  }
}

TEST_P(RowKernels, DropoutDrawsWhatTheScalarFunctionDraws) {
  for (const int64_t columns : kWidths)
    for (const int64_t rows : {0, 1, 3}) {
      check_dropout<float>(rows, columns);
      check_dropout<double>(rows, columns);
    }
}

TEST_P(RowKernels, DropoutClearsWhatItDropsWhateverItIs) {
  std::vector<float> x(1000, std::numeric_limits<float>::quiet_NaN());
  const auto keys = row_keys(1);
  dropout(DropoutRows<float>{x.data(), x.data(), keys.data(), 1, 1000, 1000, 1000,
                             core::dropout_threshold(kProbability), kept<float>()});
  for (int64_t j = 0; j < 1000; ++j)
    ASSERT_EQ(x[static_cast<size_t>(j)] == 0, multiplier(keys[0], j) == 0) << j;
}

TEST_P(RowKernels, DropoutKeysAreTheScalarFunctions) {
  const uint64_t site = core::combine(core::combine(7, 3), 2);
  for (const int64_t n : {0, 1, 7, 8, 19}) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < n; ++i) numbers.push_back(i * 1234567891011 - 5);
    std::vector<uint32_t> keys(static_cast<size_t>(n) + 1, 77);
    dropout_row_keys(site, numbers.data(), n, keys.data());
    for (size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(keys[i], core::dropout_row_key(7, 3, 2, static_cast<uint64_t>(numbers[i]))) << i;
    ASSERT_EQ(keys.back(), 77U);
  }
}

struct NormCase {
  int64_t rows, width;
  bool adds, drops, keeps_sum;
  double offset = 0;  // of x, to see that the variance is that of the deviations
};

template <class T>
struct NormBuffers {
  explicit NormBuffers(const NormCase& c)
      : x(c.rows * c.width, 1),
        s(c.rows * c.width, 2),
        gain(c.width, 3),
        bias(c.width, 4),
        sum(c.rows * c.width),
        y(c.rows * c.width),
        h(c.rows * c.width),
        inverse(c.rows),
        keys(row_keys(c.rows)) {
    for (int64_t i = 0; i < c.rows * c.width; ++i) x[i] += static_cast<T>(c.offset);
  }
  Guarded<T> x, s, gain, bias, sum, y, h, inverse;
  std::vector<uint32_t> keys;
};

template <class T>
ResidualNormRows<T> norm_rows(NormBuffers<T>& b, const NormCase& c) {
  return {b.x,
          c.adds ? b.s.data() : nullptr,
          c.drops ? b.keys.data() : nullptr,
          core::dropout_threshold(kProbability),
          kept<T>(),
          b.gain,
          b.bias,
          T(1e-5),
          c.keeps_sum ? b.sum.data() : nullptr,
          b.y,
          b.h,
          b.inverse,
          c.rows,
          c.width};
}

template <class T>
double change_of(NormBuffers<T>& b, const NormCase& c, int64_t i, int64_t j) {
  if (!c.adds) return 0;
  const double m = c.drops ? multiplier(b.keys[static_cast<size_t>(i)], j) : 1.0;
  return m * double{b.s[i * c.width + j]};
}

// d_x by the formula of the header, from the double normalised row.
Doubles d_norm(const Doubles& h, const Doubles& g, double inverse) {
  double mean = 0, product = 0;
  const auto n = static_cast<double>(h.size());
  for (size_t j = 0; j < h.size(); ++j) {
    mean += g[j] / n;
    product += g[j] * h[j] / n;
  }
  Doubles d(h.size());
  for (size_t j = 0; j < h.size(); ++j) d[j] = (g[j] - mean - h[j] * product) * inverse;
  return d;
}

template <class T>
void check_norm(const NormCase& c) {
  NormBuffers<T> b(c);
  const Near<T> near(c.offset == 0 ? 20 : 4000);
  residual_norm(norm_rows(b, c));
  const int64_t n = c.rows * c.width;
  Guarded<T> d_y(n, 5), d_sum(n, 6), d_x(n), d_s(n), d_gain(c.width, 7), d_bias(c.width, 8);
  std::vector<T> of_gain = copy(d_gain, c.width), of_bias = copy(d_bias, c.width);
  residual_norm_backward(ResidualNormGradients<T>{
      b.h, b.inverse, b.gain, c.drops ? b.keys.data() : nullptr,
      core::dropout_threshold(kProbability), kept<T>(), d_y, c.keeps_sum ? d_sum.data() : nullptr,
      d_x, c.adds ? d_s.data() : nullptr, d_gain, d_bias, c.rows, c.width});
  Doubles gains(of_gain.begin(), of_gain.end()), biases(of_bias.begin(), of_bias.end());
  for (int64_t i = 0; i < c.rows; ++i) {
    Doubles z, h, g;
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < c.width; ++j) {
      z.push_back(double{b.x[i * c.width + j]} + change_of(b, c, i, j));
      mean += z.back() / static_cast<double>(c.width);
    }
    for (const double v : z) variance += (v - mean) * (v - mean) / static_cast<double>(c.width);
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    if (c.offset == 0) near(b.inverse[i] / inverse, 1, "inverse", i);
    for (int64_t j = 0; j < c.width; ++j) {
      const int64_t at = i * c.width + j;
      h.push_back((z[static_cast<size_t>(j)] - mean) * inverse);
      g.push_back(double{d_y[at]} * double{b.gain[j]});
      if (c.keeps_sum) near(b.sum[at], z[static_cast<size_t>(j)], "sum", at);
      near(b.h[at], h.back(), "normalised", at);
      near(b.y[at], h.back() * double{b.gain[j]} + double{b.bias[j]}, "y", at);
      gains[static_cast<size_t>(j)] += double{d_y[at]} * h.back();
      biases[static_cast<size_t>(j)] += double{d_y[at]};
    }
    if (c.width == 1) continue;  // sigma is epsilon's alone: all that is left is rounding
    const Doubles d = d_norm(h, g, inverse);
    for (int64_t j = 0; j < c.width; ++j) {
      const int64_t at = i * c.width + j;
      const double change = d[static_cast<size_t>(j)] + (c.keeps_sum ? double{d_sum[at]} : 0.0);
      near(d_x[at], change, "d_x", at);
      const double m = c.drops ? multiplier(b.keys[static_cast<size_t>(i)], j) : 1.0;
      if (c.adds) near(d_s[at], m * change, "d_s", at);
    }
  }
  for (int64_t j = 0; j < c.width; ++j) {
    near(d_gain[j], gains[static_cast<size_t>(j)], "d_gain", j);
    near(d_bias[j], biases[static_cast<size_t>(j)], "d_bias", j);
  }
}

TEST_P(RowKernels, ResidualNormAgreesWithTheFormula) {
  for (const int64_t width : kWidths)
    for (const int64_t rows : {0, 1, 3, 4, 9})
      for (const bool adds : {false, true}) {
        const NormCase c{rows, width, adds, width % 2 == 1, rows % 2 == 1};
        check_norm<float>(c);
        check_norm<double>(c);
      }
  for (const int64_t width : {256, 1030}) {
    check_norm<float>({5, width, true, true, false});
    check_norm<double>({5, width, true, false, true});
  }
  check_norm<float>({3, 70, true, false, false, 1000});
}

TEST_P(RowKernels, ResidualNormRunsInPlaceAndWithoutWhatBackwardNeeds) {
  for (const int64_t width : {5, 16, 37}) {
    const NormCase c{6, width, true, true, true};
    NormBuffers<float> b(c), in_place(c);
    residual_norm(norm_rows(b, c));
    auto rows = norm_rows(in_place, c);
    rows.sum = in_place.x;
    rows.y = in_place.s;
    rows.normalised = rows.inverse_sigma = nullptr;
    residual_norm(rows);
    EXPECT_EQ(copy(in_place.x, 6 * width), copy(b.sum, 6 * width));
    EXPECT_EQ(copy(in_place.s, 6 * width), copy(b.y, 6 * width));

    Guarded<float> d(6 * width, 5), d_x(6 * width), d_sum(6 * width, 6);
    ResidualNormGradients<float> g{b.h,   b.inverse, b.gain,  nullptr, 0,       1, d,
                                   d_sum, d_x,       nullptr, nullptr, nullptr, 6, width};
    residual_norm_backward(g);
    g.d_x = d_sum;
    residual_norm_backward(g);
    EXPECT_EQ(copy(d_sum, 6 * width), copy(d_x, 6 * width));
  }
}

struct EntropyCase {
  int64_t rows, columns;
  bool bias;
  double scale = 1;   // of the gradient
  double spread = 3;  // of the logits
};

template <class T, class Index>
void check_entropy(const EntropyCase& c) {
  const int64_t stride = c.columns + 2, n = c.rows * stride;
  Guarded<T> logits(n, 1, c.spread), bias(c.columns, 2);
  std::vector<Index> targets;
  for (int64_t i = 0; i < c.rows; ++i)
    targets.push_back(static_cast<Index>((i * 37 + 5) % c.columns));
  const CrossEntropyRows<T, Index> p{
      logits, stride,    c.bias ? bias.data() : nullptr, targets.data(),
      c.rows, c.columns, static_cast<T>(c.scale)};
  const std::vector<T> before = copy(logits, n);
  Guarded<T> sums(2 * c.rows), apart(c.rows * c.columns);
  CrossEntropyRows<T, Index> with_sums = p;
  with_sums.sums = sums;
  const double loss = cross_entropy_loss(with_sums);
  ASSERT_EQ(copy(logits, n), before);
  if constexpr (sizeof(Index) == 8)
    cross_entropy_gradient(CrossEntropyGradient<T, Index>{logits, stride, targets.data(), sums,
                                                          apart, c.columns, c.rows, c.columns,
                                                          static_cast<T>(c.scale)});
  ASSERT_EQ(cross_entropy(p), loss);
  double expected = 0;
  const Near<T> near(4);
  for (int64_t i = 0; i < c.rows; ++i) {
    Doubles l;
    for (int64_t j = 0; j < c.columns; ++j)
      l.push_back(double{before[static_cast<size_t>(i * stride + j)]} +
                  (c.bias ? double{bias[j]} : 0.0));
    const double greatest = *std::max_element(l.begin(), l.end());
    double sum = 0;
    for (const double v : l) sum += std::exp(v - greatest);
    const auto target = static_cast<int64_t>(targets[static_cast<size_t>(i)]);
    expected += std::log(sum) + greatest - l[static_cast<size_t>(target)];
    for (int64_t j = 0; j < c.columns; ++j) {
      const double w = std::exp(l[static_cast<size_t>(j)] - greatest) / sum;
      // Adding the bias rounds large logits.
      ASSERT_NEAR(logits[i * stride + j], c.scale * (w - (j == target ? 1 : 0)),
                  (4 + c.spread) * tolerance<T>())
          << i << " " << j;
      if (sizeof(Index) == 8 && !c.bias) {
        ASSERT_NEAR(apart[i * c.columns + j], logits[i * stride + j], tolerance<T>());
      }
    }
    ASSERT_EQ(logits[i * stride + c.columns], before[static_cast<size_t>(i * stride + c.columns)]);
  }
  near(loss, expected, "loss", c.columns);
}

TEST_P(RowKernels, CrossEntropyAgreesWithTheFormula) {
  for (const int64_t columns : {1, 2, 7, 16, 17, 33, 100, 1023, 1025, 2048, 2049, 5000})
    for (const bool bias : {false, true}) {
      check_entropy<float, int32_t>({3, columns, bias, 0.25});
      check_entropy<float, int64_t>({1, columns, bias});
      check_entropy<double, int32_t>({1, columns, bias});
      check_entropy<double, int64_t>({3, columns, bias, 0.25});
    }
  check_entropy<float, int32_t>({0, 5, true});
  check_entropy<double, int64_t>({1, 50000, true});
  check_entropy<float, int32_t>({1, 50000, true});
  check_entropy<double, int64_t>({2, 5000, true, 1, 1e4});
  check_entropy<float, int32_t>({2, 5000, false, 1, 1e4});
  check_entropy<float, int64_t>({2, 150000, false});  // more blocks than there are places for
}

TEST_P(RowKernels, CrossEntropyOfLogitsThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const int64_t target = 4000;
  const auto loss_with = [&](std::vector<float> x) {
    return cross_entropy(CrossEntropyRows<float, int64_t>{x.data(), 5000, nullptr, &target, 1,
                                                          static_cast<int64_t>(x.size()), 1});
  };
  for (const size_t at : {0, 17, 2999, 4999}) {
    std::vector<float> x(5000, 1.0F);
    x[at] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(loss_with(x))) << at;
    x[at] = infinity;
    EXPECT_TRUE(std::isnan(loss_with(x))) << at;
  }
  // The first blocks say nothing: e^-infinity is 0.
  std::vector<float> x(5000, -infinity);
  for (size_t j = 3000; j < 5000; ++j) x[j] = -2e6F;
  EXPECT_NEAR(loss_with(x), std::log(2000.0), 1e-5);
  cross_entropy(CrossEntropyRows<float, int64_t>{x.data(), 5000, nullptr, &target, 1, 5000, 1});
  EXPECT_EQ(x[7], 0);
  EXPECT_NEAR(x[3500], 1.0 / 2000, 1e-8);
}

template <class T>
void check_relu(int64_t rows, int64_t columns, bool bias, bool drops) {
  const int64_t stride = columns + 2, n = rows * stride;
  Guarded<T> x(n, 1), y(n, 2), b(columns, 3), d_y(n, 4), d_x(n, 5), d_bias(columns, 6);
  const auto keys = row_keys(rows);
  relu(ReluRows<T>{x, y, bias ? b.data() : nullptr, drops ? keys.data() : nullptr,
                   core::dropout_threshold(kProbability), kept<T>(), rows, columns, stride,
                   stride});
  const std::vector<T> before = copy(d_bias, columns);
  const T factor = drops ? kept<T>() : T(1);
  ReluGradients<T> g{y, d_y, d_x, d_bias, factor, rows, columns, stride, stride, stride};
  relu_backward(g);
  Doubles sums(before.begin(), before.end());
  const Near<T> near(20);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t at = i * stride + j;
      const double m = drops ? multiplier(keys[static_cast<size_t>(i)], j) : 1.0;
      const double sum = double{x[at]} + (bias ? double{b[j]} : 0.0);
      near(y[at], m * std::max(sum, 0.0), "y", at);
      const double change = sum > 0 ? m * double{d_y[at]} : 0.0;
      near(d_x[at], change, "d_x", at);
      sums[static_cast<size_t>(j)] += change;
    }
  for (int64_t j = 0; j < columns; ++j) near(d_bias[j], sums[static_cast<size_t>(j)], "d_bias", j);
  const std::vector<T> with = copy(d_x, n);
  g.d_bias = nullptr;
  relu_backward(g);
  EXPECT_EQ(copy(d_x, n), with);

  std::vector<T> again(before);
  column_sums(ColumnSums<T>{d_x, stride, again.data(), rows, columns});
  EXPECT_EQ(again, copy(d_bias, columns));
}

TEST_P(RowKernels, ReluAndSumsOverRows) {
  for (const int64_t columns : kWidths)
    for (const int64_t rows : {0, 1, 5})
      for (const bool drops : {false, true}) {
        check_relu<float>(rows, columns, rows % 2 == 1, drops);
        check_relu<double>(rows, columns, rows % 2 == 0, drops);
      }
  check_relu<float>(3, 512, true, true);
  std::vector<float> x(20, std::numeric_limits<float>::quiet_NaN());
  relu(ReluRows<float>{x.data(), x.data(), nullptr, nullptr, 0, 1, 1, 20, 20, 20});
  for (const float v : x) EXPECT_TRUE(std::isnan(v));
}

template <class T>
void check_sums_and_adam(int64_t n) {
  Guarded<T> a(n + 3, 1), b(n + 3, 2), c(n + 3, 3), total(n + 3, 4);
  const std::vector<const T*> parts = {a, b, c};
  const double squares = sum_parts(SumParts<T>{parts.data(), 3, total, 3, n, T(0.5)});
  double expected = 0;
  for (int64_t i = 3; i < n + 3; ++i) {
    ASSERT_EQ(total[i], (a[i] + b[i] + c[i]) * T(0.5));
    expected += double{total[i]} * double{total[i]};
  }
  EXPECT_NEAR(squares, expected, 1e-13 * (1 + expected));
  EXPECT_EQ(total[0], static_cast<T>(std::cos(4.0)));

  Guarded<T> gradient(n, 1), first(n, 2), second(n, 3), parameters(n, 4);
  for (int64_t i = 0; i < n; ++i) second[i] = std::abs(second[i]);
  const std::vector<T> m = copy(first, n), v = copy(second, n), p = copy(parameters, n);
  adam_update(
      AdamUpdate<T>{gradient, first, second, parameters, n, 0.5, 0.9, 0.98, 0.01, 1.5, 1e-6});
  const Near<T> near(2);
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(i);
    const double g = 0.5 * double{gradient[i]};
    const double m1 = 0.9 * double{m[at]} + 0.1 * g, v1 = 0.98 * double{v[at]} + 0.02 * g * g;
    near(first[i], m1, "first", i);
    near(second[i], v1, "second", i);
    near(parameters[i], double{p[at]} - 0.01 * m1 / (std::sqrt(v1) * 1.5 + 1e-6), "parameter", i);
  }
}

TEST_P(RowKernels, SumOfPartsAndAdam) {
  for (const int64_t n : {0, 1, 5, 16, 31, 64, 1000}) {
    check_sums_and_adam<float>(n);
    check_sums_and_adam<double>(n);
  }
}

TEST_P(RowKernels, AddAndScale) {
  for (const int64_t n : {0, 1, 7, 33}) {
    Guarded<float> x(n, 1), y(n, 2);
    add_to(y, x, n, 0.5F);
    add_to(y, x, n);
    scale(x, n, 3.0F);
    for (int64_t i = 0; i < n; ++i) {
      const double at = static_cast<double>(i);
      EXPECT_NEAR(y[i], std::cos(2 + at) + 1.5 * std::cos(1 + at), 1e-6);
      EXPECT_NEAR(x[i], 3 * std::cos(1 + at), 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, RowKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
