// Products against their sums in plain double arithmetic, at odd sizes and strides, on every ISA.
#include "attend/kernels/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

const int64_t kWidths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 70};

class Gemm : public EveryIsa {};

// Rows of A, B and C may lie `gap` numbers further apart than they are long.
struct Product {
  int64_t m, n, k;
  bool transposed = false;  // A, as it lies; or B, from panels
  bool accumulate = false;
  bool packed = false, bias = false, relu = false;
  int64_t gap = 0;
};

template <class T>
void check(const Product& p) {
  const int64_t m = p.m, n = p.n, k = p.k;
  const bool turned_a = p.transposed && !p.packed, turned_b = p.transposed && p.packed;
  const int64_t row_a = turned_a ? 1 : k + p.gap, column_a = turned_a ? m + p.gap : 1;
  const int64_t row_b = turned_b ? 1 : n + p.gap, column_b = turned_b ? k + p.gap : 1;
  const int64_t ldc = n + p.gap;
  Guarded<T> a((turned_a ? k : m) * std::max(row_a, column_a), 1), bias(n, 3), c(m * ldc, 4);
  Guarded<T> b((turned_b ? n : k) * std::max(row_b, column_b), 2);
  Guarded<T> panels(p.packed ? gemm_packed_size<T>(k, n) : 0);
  const std::vector<T> before(c.data(), c.data() + m * ldc);
  if (p.packed) gemm_pack(GemmPack<T>{b, row_b, column_b, k, n, panels});
  GemmOperands<T> operands{a, row_a, column_a, p.packed ? panels : b, p.packed ? 0 : row_b, c, ldc,
                           m, n,     k,        p.accumulate};
  operands.packed = p.packed;
  operands.relu = p.relu;
  if (p.bias) operands.bias = bias;
  gemm(operands);
  const double near = tolerance<T>() * static_cast<double>(k + 1);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < ldc; ++j) {
      const T old = before[static_cast<size_t>(i * ldc + j)];
      if (j >= n) {
        ASSERT_EQ(c[i * ldc + j], old) << "between rows";
        continue;
      }
      double sum = p.accumulate ? double{old} : p.bias ? double{bias[j]} : 0.0;
      for (int64_t l = 0; l < k; ++l)
        sum += double{a[i * row_a + l * column_a]} * double{b[l * row_b + j * column_b]};
      ASSERT_NEAR(c[i * ldc + j], p.relu ? std::max(sum, 0.0) : sum, near)
          << m << " x " << n << " x " << k << " at " << i << ", " << j;
    }
}

TEST_P(Gemm, AgreesWithTheSum) {
  for (const int64_t m : {0, 1, 2, 5, 6, 7, 11, 12, 13, 25})
    for (const int64_t n : kWidths)
      for (const int64_t k : {0, 1, 2, 33}) {
        check<float>({m, n, k, (m + n) % 2 == 0, n % 2 == 0});
        check<double>({m, n, k, (m + k) % 2 == 0, n % 2 != 0});
      }
}

// Deeper and taller than a block, too.
TEST_P(Gemm, TakesPanelsBiasAndRelu) {
  for (const int64_t n : kWidths)
    for (const int64_t k : {0, 1, 33, 257, 600}) {
      Product p{13, n, k, n % 2 == 0};
      p.packed = p.bias = p.relu = true;
      check<float>(p);
      p.m = 5;
      p.transposed = n % 2 != 0;
      check<double>(p);
    }
  Product p{400, 40, 20, true};
  p.packed = p.bias = p.relu = true;
  check<float>(p);
}

TEST_P(Gemm, TakesRowsThatLieApart) {
  for (const int64_t n : {1, 16, 33, 70})
    for (const int64_t k : {1, 33, 257, 600})
      for (const bool packed : {false, true})
        for (const bool transposed : {false, true}) {
          Product p{14, n, k, transposed};
          p.packed = packed;
          p.gap = 3;
          check<float>(p);
          p.accumulate = true;
          check<float>(p);
          check<double>(p);
          p.accumulate = false;
          p.bias = true;
          p.relu = !packed;
          check<double>(p);
        }
}

TEST_P(Gemm, WritesWithoutReadingWhenNotAdding) {
  std::vector<float> c(40, std::numeric_limits<float>::quiet_NaN()), a(8, 1), b(10, 1);
  gemm(GemmOperands<float>{a.data(), 2, 1, b.data(), 5, c.data(), 5, 4, 5, 2, false});
  EXPECT_EQ(c[19], 2.0F);
}

INSTANTIATE_TEST_SUITE_P(Isa, Gemm, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
