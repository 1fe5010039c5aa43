// Cross-entropy and its gradient against their formula in plain double arithmetic, at odd sizes, on
// every ISA.
#include "attend/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/rows.h"

namespace attend::kernels {
namespace {

class CrossEntropyKernels : public EveryIsa {};

struct EntropyCase {
  int64_t rows, columns;
  double spread = 3;  // of the logits
};

constexpr int64_t kGap = 2;  // between rows

template <class Index>
std::vector<Index> targets_of(const EntropyCase& c) {
  std::vector<Index> targets;
  for (int64_t i = 0; i < c.rows; ++i)
    targets.push_back(static_cast<Index>((i * 37 + 5) % c.columns));
  return targets;
}

// The loss of row i of `logits`; `gradient` becomes softmax less the target.
template <class T>
double row_loss(const std::vector<T>& logits, const EntropyCase& c, int64_t i, int64_t target,
                Doubles& gradient) {
  const auto first = logits.begin() + i * (c.columns + kGap);
  gradient.assign(first, first + c.columns);
  const double greatest = *std::max_element(gradient.begin(), gradient.end());
  const double chosen = gradient[static_cast<size_t>(target)];
  double sum = 0;
  for (double& l : gradient) sum += l = std::exp(l - greatest);
  for (double& l : gradient) l /= sum;
  gradient[static_cast<size_t>(target)] -= 1;
  return std::log(sum) + greatest - chosen;
}

template <class T>
void check(const EntropyCase& c) {
  const int64_t stride = c.columns + kGap, n = c.rows * stride;
  Guarded<T> logits(n, 1, c.spread);
  const std::vector<T> before = copy(logits, n);
  const std::vector<int32_t> targets = targets_of<int32_t>(c);
  const double loss = cross_entropy(
      CrossEntropyRows<T, int32_t>{logits, stride, targets.data(), c.rows, c.columns});
  double expected = 0;
  Doubles gradient;
  for (int64_t i = 0; i < c.rows; ++i) {
    expected += row_loss(before, c, i, targets[static_cast<size_t>(i)], gradient);
    for (int64_t j = 0; j < c.columns; ++j)
      ASSERT_NEAR(logits[i * stride + j], gradient[static_cast<size_t>(j)], 4 * tolerance<T>())
          << i << " " << j;
    for (int64_t j = c.columns; j < stride; ++j)
      ASSERT_EQ(logits[i * stride + j], before[static_cast<size_t>(i * stride + j)]);
  }
  Near<T>(4)(loss, expected, "loss", c.columns);
}

// The loss alone, and the gradient from what it left, apart from the logits or in their place.
template <class T>
void check_apart(const EntropyCase& c) {
  const int64_t stride = c.columns + kGap, n = c.rows * stride;
  Guarded<T> logits(n, 1, c.spread), same(n, 1, c.spread), sums(2 * c.rows), d(n, 2);
  const std::vector<T> before = copy(logits, n), around = copy(d, n);
  const std::vector<int64_t> targets = targets_of<int64_t>(c);
  const std::vector<int32_t> narrow = targets_of<int32_t>(c);
  const CrossEntropyRows<T, int32_t> p{same, stride, narrow.data(), c.rows, c.columns};
  const double loss = cross_entropy_loss(
      CrossEntropyRows<T, int64_t>{logits, stride, targets.data(), c.rows, c.columns, sums.data()});
  ASSERT_EQ(cross_entropy_loss(p), loss);
  ASSERT_EQ(copy(logits, n), before);
  ASSERT_EQ(copy(same, n), before);
  CrossEntropyGradient<T> g{logits, stride, targets.data(), sums,  d,
                            stride, c.rows, c.columns,      T(0.5)};
  cross_entropy_gradient(g);
  g.d_logits = logits;
  cross_entropy_gradient(g);
  ASSERT_EQ(cross_entropy(p), loss);
  for (int64_t i = 0; i < n; ++i) {
    if (i % stride < c.columns) {
      ASSERT_NEAR(d[i], 0.5 * double{same[i]}, tolerance<T>()) << i;
      ASSERT_EQ(logits[i], d[i]) << i;
    } else {
      ASSERT_EQ(d[i], around[static_cast<size_t>(i)]) << i;
    }
  }
}

TEST_P(CrossEntropyKernels, AgreesWithTheFormula) {
  for (const int64_t columns : {1, 2, 7, 16, 17, 33, 100, 1023, 1025, 2048, 2049, 5000}) {
    check<float>({3, columns});
    check<double>({3, columns});
    check_apart<float>({2, columns});
    check_apart<double>({2, columns});
  }
  check<float>({0, 5});
  for (const double spread : {3.0, 1e4}) {
    check<float>({2, 50000, spread});
    check<double>({2, 50000, spread});
  }
  check<float>({2, 150000});  // more blocks than there are places for
}

TEST_P(CrossEntropyKernels, OfLogitsThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const int32_t target = 4000;
  const auto loss_with = [&](std::vector<float> x) {
    return cross_entropy(CrossEntropyRows<float, int32_t>{x.data(), 5000, &target, 1,
                                                          static_cast<int64_t>(x.size())});
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
  cross_entropy(CrossEntropyRows<float, int32_t>{x.data(), 5000, &target, 1, 5000});
  EXPECT_EQ(x[7], 0);
  EXPECT_NEAR(x[3500], 1.0 / 2000, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Isa, CrossEntropyKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
