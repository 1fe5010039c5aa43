// Residual sum and norm against their formula in plain double arithmetic, at odd sizes, on every
// ISA.
#include "attend/kernels/residual_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/rows.h"

namespace attend::kernels {
namespace {

class ResidualNormKernels : public EveryIsa {};

struct NormCase {
  int64_t rows, width;
  bool adds, drops, d_sum;
  double offset = 0;  // of x, to see that the variance is that of the deviations
};

template <class T>
struct NormBuffers {
  explicit NormBuffers(const NormCase& c)
      : x(c.rows * c.width, 1),
        s(c.rows * c.width, 2),
        gain(c.width, 3),
        bias(c.width, 4),
        y(c.rows * c.width),
        h(c.rows * c.width),
        inverse(c.rows),
        keys(row_keys(c.rows)) {
    for (int64_t i = 0; i < c.rows * c.width; ++i) x[i] += static_cast<T>(c.offset);
  }
  Guarded<T> x, s, gain, bias, y, h, inverse;
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

// One row in double.
struct NormRow {
  Doubles z, h;
  double inverse = 0;
};

template <class T>
NormRow row_by_formula(NormBuffers<T>& b, const NormCase& c, int64_t i) {
  NormRow row;
  double mean = 0, variance = 0;
  for (int64_t j = 0; j < c.width; ++j) {
    row.z.push_back(double{b.x[i * c.width + j]} + change_of(b, c, i, j));
    mean += row.z.back() / static_cast<double>(c.width);
  }
  for (const double v : row.z) variance += (v - mean) * (v - mean) / static_cast<double>(c.width);
  row.inverse = 1 / std::sqrt(variance + 1e-5);
  for (const double v : row.z) row.h.push_back((v - mean) * row.inverse);
  return row;
}

template <class T>
Near<T> near_of(const NormCase& c) {
  return Near<T>(c.offset == 0 ? 20 : 4000);
}

template <class T>
void check_forward(NormBuffers<T>& b, const NormCase& c) {
  const Near<T> near = near_of<T>(c);
  residual_norm(norm_rows(b, c));
  for (int64_t i = 0; i < c.rows; ++i) {
    const NormRow row = row_by_formula(b, c, i);
    if (c.offset == 0) near(b.inverse[i] / row.inverse, 1, "inverse", i);
    for (int64_t j = 0; j < c.width; ++j) {
      const int64_t at = i * c.width + j;
      const double h = row.h[static_cast<size_t>(j)];
      near(b.h[at], h, "normalised", at);
      near(b.y[at], h * double{b.gain[j]} + double{b.bias[j]}, "y", at);
    }
  }
}

// After check_forward().
template <class T>
void check_backward(NormBuffers<T>& b, const NormCase& c) {
  const Near<T> near = near_of<T>(c);
  const int64_t n = c.rows * c.width;
  Guarded<T> d_y(n, 5), d_sum(n, 6), d_x(n), d_s(n), d_gain(c.width, 7), d_bias(c.width, 8);
  const std::vector<T> of_gain = copy(d_gain, c.width), of_bias = copy(d_bias, c.width);
  residual_norm_backward(ResidualNormGradients<T>{
      b.h, b.inverse, b.gain, c.drops ? b.keys.data() : nullptr,
      core::dropout_threshold(kProbability), kept<T>(), d_y, c.d_sum ? d_sum.data() : nullptr, d_x,
      c.adds ? d_s.data() : nullptr, d_gain, d_bias, c.rows, c.width});
  Doubles gains(of_gain.begin(), of_gain.end()), biases(of_bias.begin(), of_bias.end());
  for (int64_t i = 0; i < c.rows; ++i) {
    const NormRow row = row_by_formula(b, c, i);
    Doubles g;
    for (int64_t j = 0; j < c.width; ++j) {
      const double change = double{d_y[i * c.width + j]};
      g.push_back(change * double{b.gain[j]});
      gains[static_cast<size_t>(j)] += change * row.h[static_cast<size_t>(j)];
      biases[static_cast<size_t>(j)] += change;
    }
    if (c.width == 1) continue;  // sigma is epsilon's alone: all that is left is rounding
    const Doubles d = d_norm(row.h, g, row.inverse);
    for (int64_t j = 0; j < c.width; ++j) {
      const int64_t at = i * c.width + j;
      const double change = d[static_cast<size_t>(j)] + (c.d_sum ? double{d_sum[at]} : 0.0);
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

template <class T>
void check(const NormCase& c) {
  NormBuffers<T> b(c);
  check_forward(b, c);
  check_backward(b, c);
}

TEST_P(ResidualNormKernels, AgreesWithTheFormula) {
  for (const int64_t width : kWidths)
    for (const int64_t rows : {0, 1, 3, 4, 9})
      for (const bool adds : {false, true}) {
        const NormCase c{rows, width, adds, width % 2 == 1, rows % 2 == 1};
        check<float>(c);
        check<double>(c);
      }
  for (const int64_t width : {256, 1030}) {
    check<float>({5, width, true, true, false});
    check<double>({5, width, true, false, true});
  }
  check<float>({3, 70, true, false, false, 1000});
}

TEST_P(ResidualNormKernels, RunsInPlaceAndWithoutWhatBackwardNeeds) {
  for (const int64_t width : {5, 16, 37}) {
    const NormCase c{6, width, true, true, true};
    NormBuffers<float> b(c), in_place(c);
    residual_norm(norm_rows(b, c));
    auto rows = norm_rows(in_place, c);
    rows.y = in_place.s;
    rows.normalised = rows.inverse_sigma = nullptr;
    residual_norm(rows);
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

INSTANTIATE_TEST_SUITE_P(Isa, ResidualNormKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
