// Softmax over visible columns against its formula in plain double arithmetic, on every ISA.
#include "attend/kernels/masked_softmax.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/every_isa.h"
#include "tests/kernels/guarded.h"

namespace attend::kernels {
namespace {

class MaskedSoftmaxKernels : public EveryIsa {};

struct Masks {
  bool counts, hides, one_row;
};

// Row 0 sees nothing, row 1 all; what is hidden is NaN.
template <class T>
struct Rows {
  Rows(int64_t rows, int64_t columns, Masks masks)
      : rows(rows),
        columns(columns),
        masks(masks),
        hidden(static_cast<size_t>(rows * columns + 1)),
        scores(rows * columns, 1, 20),
        weights(rows * columns) {
    for (int64_t i = 0; i < rows; ++i) {
      counts.push_back(i == 0 ? 0 : i == 1 ? columns : (i * 7) % (columns + 1));
      for (int64_t j = 0; j < columns; ++j) {
        hidden[static_cast<size_t>(i * columns + j)] = (i + j * j) % 3 == 1;
        if (!sees(i, j)) scores[i * columns + j] = std::numeric_limits<T>::quiet_NaN();
      }
    }
  }
  bool sees(int64_t i, int64_t j) const {
    if (masks.counts && j >= counts[static_cast<size_t>(i)]) return false;
    return !masks.hides || hidden[static_cast<size_t>((masks.one_row ? 0 : i) * columns + j)] == 0;
  }
  const int64_t* visible() const { return masks.counts ? counts.data() : nullptr; }
  MaskedSoftmaxRows<T> operands() {
    return {scores,
            weights,
            visible(),
            masks.hides ? reinterpret_cast<const bool*>(hidden.data()) : nullptr,
            masks.one_row ? 0 : columns,
            rows,
            columns};
  }

  int64_t rows, columns;
  Masks masks;
  std::vector<int64_t> counts;
  std::vector<char> hidden;
  Guarded<T> scores, weights;
};

template <class T>
void check(int64_t rows, int64_t columns, Masks masks) {
  Rows<T> x(rows, columns, masks);
  masked_softmax(x.operands());
  Guarded<T> d_weights(rows * columns, 2), d_scores(rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (!x.sees(i, j)) d_weights[i * columns + j] = std::numeric_limits<T>::quiet_NaN();
  masked_softmax_backward(
      MaskedSoftmaxGradients<T>{x.weights, d_weights, d_scores, x.visible(), rows, columns});
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0, mean = 0;
    const auto exponential = [&](int64_t j) {
      return x.sees(i, j) ? std::exp(double{x.scores[i * columns + j]}) : 0.0;
    };
    for (int64_t j = 0; j < columns; ++j) sum += exponential(j);
    for (int64_t j = 0; j < columns; ++j)
      if (x.sees(i, j)) mean += exponential(j) / sum * double{d_weights[i * columns + j]};
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t at = i * columns + j;
      const double w = x.sees(i, j) ? exponential(j) / sum : 0.0;
      ASSERT_NEAR(x.weights[at], w, 4 * tolerance<T>()) << i << " " << j;
      if (!x.sees(i, j)) {
        ASSERT_EQ(x.weights[at], 0);
      }
      const double change = x.sees(i, j) ? w * (double{d_weights[at]} - mean) : 0.0;
      ASSERT_NEAR(d_scores[at], change, 20 * tolerance<T>()) << i << " " << j;
    }
  }
}

TEST_P(MaskedSoftmaxKernels, AgreeWithTheFormula) {
  for (const int64_t columns : {0, 1, 2, 7, 8, 15, 16, 17, 33, 64, 129, 1030})
    for (const Masks& masks : {Masks{false, false, false}, Masks{true, false, false},
                               Masks{false, true, false}, Masks{true, true, true}}) {
      check<float>(columns > 200 ? 3 : 6, columns, masks);
      check<double>(columns > 200 ? 3 : 6, columns, masks);
    }
}

TEST_P(MaskedSoftmaxKernels, RowsThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const bool hidden[] = {false, true, false, false, false};
  for (const float poison : {nan, infinity}) {
    float x[] = {1, 2, 3, poison, 4};
    masked_softmax(MaskedSoftmaxRows<float>{x, x, nullptr, hidden, 5, 1, 5});
    EXPECT_EQ(x[1], 0);
    for (const int j : {0, 2, 3, 4}) EXPECT_TRUE(std::isnan(x[j])) << j;
  }
  float x[] = {-infinity, -infinity, 3, -infinity, 3};
  masked_softmax(MaskedSoftmaxRows<float>{x, x, nullptr, nullptr, 0, 1, 5});
  EXPECT_THAT(x, ::testing::ElementsAre(0, 0, 0.5F, 0, 0.5F));
  float y[] = {-infinity, -infinity};
  masked_softmax(MaskedSoftmaxRows<float>{y, y, nullptr, nullptr, 0, 1, 2});
  EXPECT_THAT(y, ::testing::ElementsAre(0, 0));
}

INSTANTIATE_TEST_SUITE_P(Isa, MaskedSoftmaxKernels, isas(), isa_name);

}  // namespace
}  // namespace attend::kernels
