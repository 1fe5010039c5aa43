#include "attend/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace attend::core {
namespace {

// Checked against Java's SplittableRandom, whose first outputs from seed 0 are these.
TEST(Random, Mix64IsSplitMix) {
  EXPECT_EQ(mix64(0), 0xE220A8397B1DCDAFull);
  EXPECT_EQ(mix64(0x9E3779B97F4A7C15ull), 0x6E789E6AA1B965F4ull);
}

TEST(Random, UniformIsInRangeAndEven) {
  double sum = 0, square = 0;
  constexpr int kCount = 100000;
  for (uint64_t i = 0; i < kCount; ++i) {
    const double u = uniform01(42, i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    square += u * u;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.004);
  EXPECT_NEAR(square / kCount, 1.0 / 3, 0.004);
}

TEST(Random, DropoutKeepsTheRightShare) {
  for (const double p : {0.0, 0.1, 0.5, 0.9}) {
    const uint32_t threshold = dropout_threshold(p);
    int64_t kept = 0;
    for (uint64_t row = 0; row < 500; ++row) {
      const uint32_t key = dropout_row_key(1, 2, 3, row);
      for (uint32_t column = 0; column < 200; ++column)
        kept += dropout_keeps(key, column, threshold);
    }
    EXPECT_NEAR(static_cast<double>(kept) / 1e5, 1 - p, p == 0 ? 0 : 0.006) << p;
  }
}

TEST(Random, DropoutHangsOnEveryPartOfItsKey) {
  const uint32_t key = dropout_row_key(1, 2, 3, 4);
  EXPECT_EQ(dropout_row_key(1, 2, 3, 4), key);
  EXPECT_NE(dropout_row_key(0, 2, 3, 4), key);
  EXPECT_NE(dropout_row_key(1, 0, 3, 4), key);
  EXPECT_NE(dropout_row_key(1, 2, 0, 4), key);
  EXPECT_NE(dropout_row_key(1, 2, 3, 0), key);
}

TEST(Random, PermutationHoldsEachNumberOnce) {
  for (const int64_t n : {0, 1, 2, 10, 1000}) {
    auto order = permutation(n, 7);
    EXPECT_EQ(order, permutation(n, 7));
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(order[static_cast<size_t>(i)], i);
  }
  EXPECT_NE(permutation(100, 7), permutation(100, 8));
}

// Each of the six orders of three has its share.
TEST(Random, PermutationIsEven) {
  std::vector<int> counts(27, 0);
  for (uint64_t key = 0; key < 6000; ++key) {
    const auto order = permutation(3, key);
    ++counts[static_cast<size_t>(order[0] * 9 + order[1] * 3 + order[2])];
  }
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 21);
  for (const int count : counts) {
    if (count != 0) {
      EXPECT_NEAR(count, 1000, 150);
    }
  }
}

TEST(Random, NamesGiveDifferentKeys) {
  EXPECT_NE(hash_name("encoder"), hash_name("decoder"));
  EXPECT_NE(hash_name(""), hash_name(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace attend::core
