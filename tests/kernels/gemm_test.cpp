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

}  // namespace
}  // namespace attend::kernels
