// Layouts of packed rows: to a rectangle and back, to time-major order and back.
#include "attend/ops/packed.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Offsets = std::vector<int64_t>;

// Ragged, with empty sentences in each place, even, single, all empty, none.
const std::vector<Offsets> kLayouts = {{0, 3, 3, 8}, {0, 0, 2, 2}, {0, 2, 4, 6},      {0, 1},
                                       {0, 0, 0},    {0},          {0, 1, 3, 4, 9, 9}};

TEST(PackedLayout, PadsWithZerosBehindEachSentence) {
  const PackedLayout layout = packed_layout({0, 2, 2, 3}, at::kCPU);
  EXPECT_EQ(layout.size(), 3);
  EXPECT_EQ(layout.rows(), 3);
  EXPECT_EQ(layout.longest, 2);
  EXPECT_FALSE(layout.even);
  EXPECT_EQ(layout.length(1), 0);
  EXPECT_EQ(layout.first_row(2), 2);
  const at::Tensor rows = at::arange(1, 7, at::kFloat).view({3, 2});
  const at::Tensor padded = pad(rows, layout);  // (3, 2, 2)
  EXPECT_TRUE(identical(padded.reshape({6, 2}).select(1, 0),
                        at::tensor({1.0f, 3.0f, 0.0f, 0.0f, 5.0f, 0.0f})));
  EXPECT_TRUE(identical(layout.real.to(at::kFloat).reshape({6}),
                        at::tensor({1.0f, 1.0f, 0.0f, 0.0f, 1.0f, 0.0f})));
}

TEST(PackedLayout, GoesToARectangleAndBack) {
  for (const Offsets& offsets : kLayouts) {
    const PackedLayout layout = packed_layout(offsets, at::kCPU);
    const at::Tensor rows = cosines({layout.rows(), 3});
    const at::Tensor padded = pad(rows, layout);
    EXPECT_EQ(padded.size(0), layout.size());
    EXPECT_TRUE(identical(unpad(padded, layout), rows));
    EXPECT_EQ(layout.real.sum().item<int64_t>(), layout.rows());
    EXPECT_EQ(layout.even, layout.rows() == layout.size() * layout.longest);
  }
}

TEST(PackedLayout, TakesRowsThatAreNotContiguous) {
  const at::Tensor wide = cosines({6, 9});
  for (const Offsets& offsets : {Offsets{0, 2, 4, 6}, Offsets{0, 1, 6}}) {
    const PackedLayout layout = packed_layout(offsets, at::kCPU);
    const at::Tensor part = wide.narrow(1, 3, 3);
    EXPECT_TRUE(identical(unpad(pad(part, layout), layout), part));
  }
}

TEST(PackedLayout, GradientsGoBackToTheRows) {
  for (const Offsets& offsets : {Offsets{0, 2, 2, 3}, Offsets{0, 2, 4}}) {
    const PackedLayout layout = packed_layout(offsets, at::kCPU);
    EXPECT_TRUE(check_gradients([&](const auto& in) { return pad(in[0], layout); },
                                {leaf({layout.rows(), 2})}));
    EXPECT_TRUE(check_gradients([&](const auto& in) { return unpad(in[0], layout); },
                                {leaf({layout.size(), layout.longest, 2})}));
  }
}

TEST(PackedLayout, RefusesWhatDoesNotFit) {
  for (const Offsets& bad : {Offsets{}, Offsets{1, 2}, Offsets{0, 3, 2}}) {
    EXPECT_THROW(packed_layout(bad, at::kCPU), InvalidArgument);
    EXPECT_THROW(time_major(bad, at::kCPU), InvalidArgument);
    EXPECT_THROW(row_numbers(bad, {0, 0}), InvalidArgument);
  }
  EXPECT_THAT(message_of([] { packed_layout({0, 3, 2}, at::kCPU); }), HasSubstr("(0, 3, 2)"));
  const PackedLayout layout = packed_layout({0, 2, 3}, at::kCPU);
  EXPECT_THAT(message_of([&] { pad(cosines({4, 2}), layout); }), HasSubstr("(4, 2)"));
  EXPECT_THROW(pad(cosines({3}), layout), InvalidArgument);
  EXPECT_THROW(unpad(cosines({2, 3, 2}), layout), InvalidArgument);
}

TEST(TimeMajor, StepsHoldTheLongestFirst) {
  const TimeMajor layout = time_major({0, 1, 4, 4, 6, 9}, at::kCPU);  // lengths 1 3 0 2 3
  EXPECT_THAT(layout.order, ElementsAre(1, 4, 3, 0, 2));
  EXPECT_THAT(layout.live, ElementsAre(4, 3, 2));
  EXPECT_THAT(layout.starts, ElementsAre(0, 4, 7, 9));
  EXPECT_FALSE(layout.sorted);
  const at::Tensor rows = at::arange(9, at::kLong);
  EXPECT_TRUE(identical(rows.index_select(0, layout.from_packed),
                        at::tensor({1, 6, 4, 0, 2, 7, 5, 3, 8}, at::kLong)));
  EXPECT_TRUE(identical(layout.rank, at::tensor({3, 0, 4, 2, 1}, at::kLong)));
}

TEST(TimeMajor, GoesThereAndBack) {
  for (const Offsets& offsets : kLayouts) {
    const TimeMajor layout = time_major(offsets, at::kCPU);
    const at::Tensor rows = cosines({offsets.back(), 2});
    const at::Tensor stepwise = rows.index_select(0, layout.from_packed);
    EXPECT_TRUE(identical(stepwise.index_select(0, layout.to_packed), rows));
    const at::Tensor sentences = at::arange(layout.size(), at::kLong);
    EXPECT_TRUE(identical(
        sentences.index_select(0, layout.order_tensor).index_select(0, layout.rank), sentences));
    EXPECT_TRUE(identical(layout.live_tensor, index_tensor(layout.live, at::kCPU)));
    EXPECT_EQ(layout.starts.back(), offsets.back());
  }
  EXPECT_TRUE(time_major({0, 3, 5, 5}, at::kCPU).sorted);
  EXPECT_THAT(time_major({0, 0, 0}, at::kCPU).live, IsEmpty());
}

TEST(RowNumbers, CountFromEachSentencesFirstRow) {
  const Offsets offsets = {0, 1, 4, 4};
  EXPECT_THAT(row_numbers(offsets, {10, 20, 30}), ElementsAre(10, 20, 21, 22));
  EXPECT_THAT(row_numbers(time_major(offsets, at::kCPU), {10, 20, 30}),
              ElementsAre(20, 10, 21, 22));
  EXPECT_THROW(row_numbers(offsets, {10, 20}), InvalidArgument);
  EXPECT_THROW(row_numbers(time_major(offsets, at::kCPU), {}), InvalidArgument);
}

}  // namespace
}  // namespace attend::ops
