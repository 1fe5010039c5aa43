// The five sinusoid tables in use, and what holds for all of them.
#include "attend/layers/sinusoidal.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using Layout = SinusoidalOptions::Layout;
using Exponent = SinusoidalOptions::Exponent;

const SinusoidalOptions kBook = {};
const SinusoidalOptions kSockeye = {.layout = Layout::kHalves};
const SinusoidalOptions kMarian = {Layout::kHalves, Exponent::kHalfMinusOne, 0};
const SinusoidalOptions kFairseq = {Layout::kHalves, Exponent::kHalfMinusOne, 2};
const SinusoidalOptions kCTranslate2 = {Layout::kHalves, Exponent::kHalfMinusOne, 1};
const SinusoidalOptions kAll[] = {kBook, kSockeye, kMarian, kFairseq, kCTranslate2};

at::Tensor table(int64_t first, int64_t count, int64_t width, const SinusoidalOptions& options) {
  return sinusoidal_positions(first, count, width, options, at::kDouble);
}

TEST(SinusoidalPositions, TheFiveTablesInUse) {
  const Goldens golden("layers/goldens.safetensors");
  const std::pair<const char*, SinusoidalOptions> named[] = {{"book", kBook},
                                                             {"sockeye", kSockeye},
                                                             {"marian", kMarian},
                                                             {"fairseq", kFairseq},
                                                             {"ctranslate2", kCTranslate2}};
  for (const auto& [name, options] : named)
    EXPECT_TRUE(close(table(0, 6, 8, options), golden.get("positions." + std::string(name))))
        << name;
}

// By hand: sin and cos of 1, 0.1, 0.01, 0.001.
TEST(SinusoidalPositions, RowOneOfWidthEight) {
  const at::Tensor row = at::tensor(
      {0.8414709848078965, 0.5403023058681398, 0.09983341664682815, 0.9950041652780258,
       0.009999833334166664, 0.9999500004166653, 0.0009999998333333417, 0.9999995000000417},
      at::kDouble);
  EXPECT_TRUE(close(table(1, 1, 8, kBook)[0], row));
  EXPECT_TRUE(close(sinusoidal_positions(1, 1, 8, kBook)[0], row.to(at::kFloat)));
}

TEST(SinusoidalPositions, OddWidthsEndWithASineOrAZero) {
  for (const int64_t width : {1, 3, 5, 7, 9, 29, 127}) {
    const at::Tensor book = table(0, 100, width, kBook);
    ASSERT_EQ(book.sizes(), at::IntArrayRef({100, width}));
    for (const int64_t p : {0, 1, 99})
      for (int64_t column = 0; column < width; ++column) {
        const double angle =
            static_cast<double>(p) /
            std::pow(10000.0, static_cast<double>(column / 2 * 2) / static_cast<double>(width));
        EXPECT_NEAR(book[p][column].item<double>(),
                    column % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-12)
            << p << ", " << column << " of " << width;
      }
    for (const SinusoidalOptions& options : {kSockeye, kMarian}) {
      const at::Tensor halves = table(0, 4, width, options);
      EXPECT_TRUE(all_finite(halves));
      EXPECT_EQ(halves.select(1, width - 1).abs().sum().item<double>(), 0.0) << width;
    }
  }
}

// Sines and cosines, each (count, pairs).
std::pair<at::Tensor, at::Tensor> pairs(const at::Tensor& rows, const SinusoidalOptions& options) {
  const int64_t half = rows.size(1) / 2;
  if (options.layout == Layout::kHalves)
    return {rows.narrow(1, 0, half), rows.narrow(1, half, half)};
  const at::Tensor split = rows.narrow(1, 0, 2 * half).view({rows.size(0), half, 2});
  return {split.select(2, 0), split.select(2, 1)};
}

TEST(SinusoidalPositions, SineAndCosineShareTheirFrequency) {
  for (const SinusoidalOptions& options : kAll)
    for (const int64_t width : {2, 6, 8, 64}) {
      const auto [sine, cosine] = pairs(table(0, 50, width, options), options);
      EXPECT_TRUE(close(sine.square() + cosine.square(), at::ones_like(sine)));
    }
}

TEST(SinusoidalPositions, GoingOnByKIsARotationOfEachPair) {
  constexpr int64_t kStep = 7;
  for (SinusoidalOptions options : kAll) {
    const auto [sine, cosine] = pairs(table(0, 40, 10, options), options);
    const auto [later_sine, later_cosine] = pairs(table(kStep, 40, 10, options), options);
    options.offset = 0;  // the turn of k positions is row k of the table that begins at 0
    const auto [turn_sine, turn_cosine] = pairs(table(kStep, 1, 10, options), options);
    EXPECT_TRUE(close(later_sine, sine * turn_cosine + cosine * turn_sine, {1e-9, 1e-9}));
    EXPECT_TRUE(close(later_cosine, cosine * turn_cosine - sine * turn_sine, {1e-9, 1e-9}));
  }
}

TEST(SinusoidalPositions, OffsetIsTheFirstPositionsNumber) {
  EXPECT_TRUE(identical(table(0, 5, 6, kFairseq), table(2, 5, 6, kMarian)));
  EXPECT_TRUE(identical(table(3, 5, 6, kCTranslate2), table(4, 5, 6, kMarian)));
}

TEST(PositionTable, GrowsBeyondItsRows) {
  for (const SinusoidalOptions& options : {kBook, kFairseq}) {
    const PositionTable positions(7, options, at::TensorOptions().dtype(at::kDouble));
    const at::Tensor all = table(0, 1000, 7, options);
    const std::pair<int64_t, int64_t> parts[] = {{0, 0},   {0, 256}, {0, 257}, {250, 20},
                                                 {256, 1}, {999, 1}, {255, 1}, {0, 1000}};
    for (const auto& [first, count] : parts)
      EXPECT_TRUE(close(positions.rows(first, count), all.narrow(0, first, count)))
          << first << ", " << count;
  }
}

TEST(SinusoidalPositions, RefusesSizesBelowTheirLeast) {
  EXPECT_THAT(message_of([] { sinusoidal_positions(-1, 2, 4, {}); }), HasSubstr("found -1, 2"));
  EXPECT_THROW(sinusoidal_positions(0, -1, 4, {}), InvalidArgument);
  EXPECT_THROW(sinusoidal_positions(0, 1, 0, {}), InvalidArgument);
  const PositionTable positions(4, {}, at::TensorOptions());
  EXPECT_THROW(positions.rows(-1, 2), InvalidArgument);
}

}  // namespace
}  // namespace attend
