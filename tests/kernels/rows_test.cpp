// Dropout, the gradient of ReLU, sums over rows and an optimiser's update against their formulas in
// plain double arithmetic, at odd sizes, on every ISA.
#include "tests/kernels/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attend/kernels/activation.h"
#include "attend/kernels/dropout.h"
#include "attend/kernels/optimiser.h"
#include "tests/kernels/every_isa.h"

namespace attend::kernels {
namespace {

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

template <class T>
void check_relu(int64_t rows, int64_t columns) {
  const int64_t stride_y = columns + 2, stride_d = columns + 3, stride_x = columns + 1;
  Guarded<T> y(rows * stride_y, 1), d_y(rows * stride_d, 2), d_x(rows * stride_x, 3);
  for (int64_t i = 0; i < rows * stride_y; ++i) y[i] = std::max(y[i], T(0));
  const std::vector<T> before = copy(d_x, rows * stride_x);
  ReluGradients<T> g{y, d_y, d_x, rows, columns, stride_y, stride_d, stride_x};
  relu_backward(g);
  g.d_x = d_y;
  g.stride_d_x = stride_d;
  relu_backward(g);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const double change = std::cos(2.0 + static_cast<double>(i * stride_d + j));
      const T expected = y[i * stride_y + j] > 0 ? static_cast<T>(change) : T(0);
      ASSERT_EQ(d_x[i * stride_x + j], expected) << i << " " << j;
      ASSERT_EQ(d_y[i * stride_d + j], expected) << i << " " << j;
    }
    ASSERT_EQ(d_x[i * stride_x + columns], before[static_cast<size_t>(i * stride_x + columns)]);
  }
}

template <class T>
void check_column_sums(int64_t rows, int64_t columns) {
  const int64_t stride = columns + 2;
  Guarded<T> x(rows * stride, 1), sums(columns, 2);
  std::vector<T> expected = copy(sums, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) expected[static_cast<size_t>(j)] += x[i * stride + j];
  column_sums(ColumnSums<T>{x, stride, sums, rows, columns});
  ASSERT_EQ(copy(sums, columns), expected) << rows << " x " << columns;
}

TEST_P(RowKernels, GradientOfReluAndSumsOverRows) {
  for (const int64_t columns : kWidths)
    for (const int64_t rows : {0, 1, 5}) {
      check_relu<float>(rows, columns);
      check_relu<double>(rows, columns);
      check_column_sums<float>(rows, columns);
      check_column_sums<double>(rows, columns);
    }
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

template <class T>
void check_add_to(int64_t n) {
  Guarded<T> x(n, 1), y(n, 2);
  add_to(y, x, n, T(0.5));
  add_to(y, x, n);
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i);
    EXPECT_NEAR(y[i], std::cos(2 + at) + 1.5 * std::cos(1 + at), tolerance<T>());
  }
}

TEST_P(RowKernels, AddTo) {
  for (const int64_t n : {0, 1, 7, 33}) {
    check_add_to<float>(n);
    check_add_to<double>(n);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, RowKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
