#include "attend/ops/dropout.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include <numeric>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

std::vector<int64_t> count(int64_t n, int64_t from = 0) {
  std::vector<int64_t> rows(static_cast<size_t>(n));
  std::iota(rows.begin(), rows.end(), from);
  return rows;
}

at::Tensor mask_of(const DropoutState& state, const std::vector<int64_t>& rows, int64_t columns,
                   uint32_t site = 3, at::ScalarType dtype = at::kDouble) {
  return dropout_mask(state, site, rows, columns, at::TensorOptions().dtype(dtype));
}

TEST(Dropout, MaskIsTheStoredOne) {
  EXPECT_TRUE(close(mask_of({.probability = 0.1, .seed = 42, .step = 7}, {0, 1, 5, 1000000}, 67),
                    ops_goldens().get("dropout.tenth.mask")));
  EXPECT_TRUE(close(mask_of({.probability = 0.5}, {0, 1, 2}, 33, 0),
                    ops_goldens().get("dropout.half.mask")));
}

TEST(Dropout, FastLoopIsTheDefinitionAtEveryWidth) {
  const DropoutState state{.probability = 0.3, .seed = 5, .step = 2};
  for (int64_t columns = 0; columns < 40; ++columns) {
    const at::Tensor mask = mask_of(state, {4, 9}, columns, 1, at::kFloat);
    const float* found = mask.const_data_ptr<float>();
    for (const int64_t row : {4, 9}) {
      const uint32_t key = core::dropout_row_key(5, 2, 1, static_cast<uint64_t>(row));
      for (int64_t c = 0; c < columns; ++c) {
        const bool kept =
            core::dropout_keeps(key, static_cast<uint32_t>(c), core::dropout_threshold(0.3));
        EXPECT_EQ(*found++, kept ? static_cast<float>(1.0 / 0.7) : 0.0f) << row << " " << c;
      }
    }
  }
}

TEST(Dropout, RateAndScale) {
  for (const double p : {0.1, 0.5, 0.9}) {
    const at::Tensor mask = mask_of({.probability = p, .seed = 1}, count(500), 400);
    const double dropped = mask.eq(0.0).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(dropped, p, 5.0 * std::sqrt(p * (1.0 - p) / mask.numel()));
    EXPECT_NEAR(mask.max().item<double>(), 1.0 / (1.0 - p), 1e-12);
    EXPECT_NEAR(mask.mean().item<double>(), 1.0, 0.03);
  }
}

TEST(Dropout, NeitherRowsNorColumnsAgreeTooOften) {
  const at::Tensor kept =
      mask_of({.probability = 0.5, .seed = 1}, count(256), 256).gt(0.0).to(at::kDouble);
  const at::Tensor centred = kept.sub(0.5);
  for (const at::Tensor& products : {centred.matmul(centred.t()), centred.t().matmul(centred)}) {
    const at::Tensor off = products.triu(1).abs();
    EXPECT_LT(off.max().item<double>(), 0.25 * 256 * 0.35);  // 5.6 standard deviations
  }
}

TEST(Dropout, CountersTellMasksApart) {
  const DropoutState state{.probability = 0.5, .seed = 1, .step = 1};
  const at::Tensor mask = mask_of(state, count(4), 64);
  EXPECT_TRUE(identical(mask_of(state, count(4), 64), mask));
  EXPECT_FALSE(identical(mask_of({.probability = 0.5, .seed = 2, .step = 1}, count(4), 64), mask));
  EXPECT_FALSE(identical(mask_of({.probability = 0.5, .seed = 1, .step = 2}, count(4), 64), mask));
  EXPECT_FALSE(identical(mask_of(state, count(4), 64, 4), mask));
  EXPECT_FALSE(identical(mask_of(state, count(4, 1), 64), mask));
}

// A shard gives its rows' numbers in the whole batch, and gets the whole batch's mask.
TEST(Dropout, ShardsMakeTheMaskOfTheBatch) {
  const DropoutState state{.probability = 0.2, .seed = 9, .step = 4};
  const at::Tensor x = cosines({10, 3, 5}, 0.0, at::kFloat);
  const at::Tensor whole = dropout(x, state, 2, count(10));
  EXPECT_TRUE(identical(at::cat({dropout(x.slice(0, 0, 3), state, 2, count(3)),
                                 dropout(x.slice(0, 3), state, 2, count(7, 3))}),
                        whole));
  EXPECT_TRUE(identical(dropout(x.slice(0, 7, 8), state, 2, {7}), whole.slice(0, 7, 8)));
}

TEST(Dropout, TheSameElementsInEveryDtype) {
  const DropoutState state{.probability = 0.4, .seed = 3};
  const at::Tensor kept = mask_of(state, count(8), 33).gt(0.0);
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}) {
    const at::Tensor found = dropout(at::ones({8, 33}, dtype), state, 3, count(8));
    EXPECT_EQ(found.scalar_type(), dtype);
    EXPECT_TRUE(identical(found.gt(0.0), kept));
    EXPECT_TRUE(close(found.max(), at::ones({}, dtype).div(0.6)));
  }
}

// pytorch#124464: off means off.
TEST(Dropout, OffReturnsTheTensorItself) {
  const at::Tensor x = cosines({2, 3});
  EXPECT_TRUE(dropout(x, {}, 0, count(2)).is_same(x));
}

TEST(Dropout, GradientIsTheMask) {
  const DropoutState state{.probability = 0.5, .seed = 1};
  EXPECT_TRUE(check_gradients([&](const auto& in) { return dropout(in[0], state, 1, {3, 8, 2}); },
                              {leaf({3, 2, 5})}));
}

TEST(Dropout, EmptyTensors) {
  const DropoutState state{.probability = 0.5};
  EXPECT_EQ(dropout(cosines({0, 4}), state, 1, {}).numel(), 0);
  EXPECT_EQ(dropout(cosines({3, 0}), state, 1, count(3)).numel(), 0);
}

TEST(Dropout, WrongArgumentsAreNamed) {
  const DropoutState state{.probability = 0.5};
  EXPECT_THAT(
      message_of([&] { dropout(cosines({2, 3}), state, 1, {0}); }),
      HasSubstr(
          "[dropout] expected x of (1, ...), as many as there are row numbers, found (2, 3)"));
  for (const double p : {-0.1, 1.0, 1.5, std::nan("")})
    EXPECT_THAT(message_of([&] { dropout(cosines({2, 3}), {.probability = p}, 1, count(2)); }),
                HasSubstr("probability in [0, 1)"));
  EXPECT_THROW(dropout(at::ones({2}, at::kLong), state, 1, count(2)), InvalidArgument);
}

}  // namespace
}  // namespace attend::ops
