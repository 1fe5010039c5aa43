#include "attend/ops/mask.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/compare.h"

namespace attend {
namespace {

using ::attend::testing::identical;
using ::attend::testing::message_of;
using ::testing::HasSubstr;

at::Tensor bools(const std::vector<int64_t>& values, const std::vector<int64_t>& shape) {
  return at::tensor(values, at::kLong).view(shape).to(at::kBool);
}

// Expanded to all sizes, so that tests see what each query sees.
at::Tensor full(const Mask& mask, int64_t b, int64_t h, int64_t tq, int64_t tk) {
  const at::Tensor m = mask.materialise(b, h, tq, tk, at::kCPU);
  return m.defined() ? m.expand({b, h, tq, tk}) : at::ones({b, h, tq, tk}, at::kBool);
}

TEST(Mask, NoneMasksNothing) {
  EXPECT_TRUE(Mask::none().is_none());
  EXPECT_FALSE(Mask::none().materialise(2, 3, 4, 5, at::kCPU).defined());
}

TEST(Mask, PaddingBySentence) {
  EXPECT_TRUE(identical(full(Mask::padding({2, 0, 3}), 3, 1, 1, 3).view({3, 3}),
                        bools({1, 1, 0, 0, 0, 0, 1, 1, 1}, {3, 3})));
}

TEST(Mask, PaddingByQuery) {
  const at::Tensor lengths = at::tensor(std::vector<int64_t>{1, 3, 0, 2}, at::kLong).view({2, 2});
  EXPECT_TRUE(identical(full(Mask::padding(lengths), 2, 1, 2, 3).view({4, 3}),
                        bools({1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0}, {4, 3})));
}

TEST(Mask, PaddingTakesAnyIntegerTypeAndKeepsACopy) {
  at::Tensor lengths = at::tensor(std::vector<int64_t>{1, 2}, at::kLong);
  const Mask mask = Mask::padding(lengths);
  lengths.fill_(0);
  EXPECT_TRUE(
      identical(full(mask, 2, 1, 1, 2),
                full(Mask::padding(at::tensor(std::vector<int64_t>{1, 2}, at::kLong).to(at::kInt)),
                     2, 1, 1, 2)));
}

TEST(Mask, NothingIsMadeWhenAllKeysAreReal) {
  EXPECT_FALSE(Mask::padding({3, 3}).materialise(2, 1, 4, 3, at::kCPU).defined());
  EXPECT_FALSE(Mask::causal().materialise(2, 1, 1, 3, at::kCPU).defined());
}

// pytorch#120668: a polarity that everyone can read.
TEST(Mask, CausalIsALowerTriangleOfOnes) {
  EXPECT_TRUE(identical(full(Mask::causal(), 1, 1, 3, 3).view({3, 3}),
                        bools({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3})));
}

// x-transformers#187: one query after four cached keys sees all five.
TEST(Mask, CausalIsAlignedAtTheLastKey) {
  EXPECT_TRUE(identical(full(Mask::causal(), 1, 1, 2, 4).view({2, 4}),
                        bools({1, 1, 1, 0, 1, 1, 1, 1}, {2, 4})));
  EXPECT_TRUE(full(Mask::causal(), 1, 1, 1, 5).all().item<bool>());
}

TEST(Mask, CausalWithAnOffset) {
  EXPECT_TRUE(identical(full(Mask::causal(0), 1, 1, 2, 4).view({2, 4}),
                        bools({1, 0, 0, 0, 1, 1, 0, 0}, {2, 4})));
  EXPECT_TRUE(
      identical(full(Mask::causal(-1), 1, 1, 2, 2).view({2, 2}), bools({0, 0, 1, 0}, {2, 2})));
}

TEST(Mask, MoreQueriesThanKeysLeavesTheFirstWithoutAny) {
  EXPECT_TRUE(
      identical(full(Mask::causal(), 1, 1, 3, 2).view({3, 2}), bools({0, 0, 1, 0, 1, 1}, {3, 2})));
}

TEST(Mask, WindowLooksBothWaysAndWithCausalBackOnly) {
  EXPECT_TRUE(identical(full(Mask::window(2), 1, 1, 3, 3).view({3, 3}),
                        bools({1, 1, 0, 1, 1, 1, 0, 1, 1}, {3, 3})));
  EXPECT_TRUE(identical(full(Mask::causal() & Mask::window(2), 1, 1, 2, 4).view({2, 4}),
                        bools({0, 1, 1, 0, 0, 0, 1, 1}, {2, 4})));
}

TEST(Mask, DropIsTheOtherPolarityOfDense) {
  const at::Tensor m = bools({1, 0, 0, 1, 1, 0}, {2, 3});
  EXPECT_TRUE(
      identical(full(Mask::drop(m), 1, 1, 2, 3), full(Mask::dense(m.logical_not()), 1, 1, 2, 3)));
  EXPECT_TRUE(identical(full(Mask::dense(m), 1, 1, 2, 3).view({2, 3}), m));
}

TEST(Mask, DenseShapes) {
  for (const auto& shape : std::vector<std::vector<int64_t>>{{3, 4},
                                                             {1, 4},
                                                             {2, 3, 4},
                                                             {1, 3, 4},
                                                             {2, 1, 4},
                                                             {2, 5, 3, 4},
                                                             {1, 5, 1, 4},
                                                             {2, 1, 3, 4}})
    EXPECT_EQ(full(Mask::dense(at::ones(shape, at::kBool)), 2, 5, 3, 4).numel(), 120);
}

TEST(Mask, KeysArePerSentence) {
  EXPECT_TRUE(identical(full(Mask::keys(bools({1, 0, 0, 1}, {2, 2})), 2, 1, 1, 2).view({2, 2}),
                        bools({1, 0, 0, 1}, {2, 2})));
}

TEST(Mask, AndJoinsConditions) {
  const Mask both = Mask::padding({2, 3}) & Mask::causal();
  EXPECT_TRUE(identical(full(both, 2, 1, 3, 3).view({6, 3}),
                        bools({1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1}, {6, 3})));
  EXPECT_TRUE(
      identical(full(Mask::none() & both, 2, 1, 3, 3), full(both & Mask::none(), 2, 1, 3, 3)));
}

TEST(Mask, PreparedGivesTheSameAndRefusesOtherSizes) {
  const Mask mask = Mask::padding({2, 3}) & Mask::causal();
  const Mask prepared = mask.prepare(2, 1, 3, 3, at::kCPU);
  EXPECT_TRUE(identical(full(prepared, 2, 4, 3, 3), full(mask, 2, 4, 3, 3)));
  EXPECT_THAT(message_of([&] { prepared.materialise(2, 1, 2, 3, at::kCPU); }),
              HasSubstr("prepared for, B = 2, H = 1, Tq = 3, Tk = 3"));
  EXPECT_TRUE(identical(full(prepared & Mask::window(1), 2, 1, 3, 3),
                        full(mask & Mask::window(1), 2, 1, 3, 3)));
}

TEST(Mask, EmptySizes) {
  EXPECT_TRUE(full(Mask::padding({0, 0}), 2, 1, 3, 0).sizes() == at::IntArrayRef({2, 1, 3, 0}));
  EXPECT_TRUE(full(Mask::causal(), 2, 1, 0, 3).sizes() == at::IntArrayRef({2, 1, 0, 3}));
  EXPECT_TRUE(full(Mask::padding(std::vector<int64_t>{}), 0, 1, 3, 3).sizes() ==
              at::IntArrayRef({0, 1, 3, 3}));
}

// pytorch#103963: a mask of numbers is added by some and selects in others.
TEST(Mask, NumbersAreRefused) {
  for (const auto dtype : {at::kFloat, at::kLong, at::kByte}) {
    EXPECT_THROW(Mask::dense(at::zeros({2, 3}, dtype)), InvalidArgument);
    EXPECT_THROW(Mask::drop(at::zeros({2, 3}, dtype)), InvalidArgument);
    EXPECT_THROW(Mask::keys(at::zeros({2, 3}, dtype)), InvalidArgument);
  }
  EXPECT_THAT(message_of([] { Mask::dense(at::zeros({2, 3})); }),
              HasSubstr("[mask] expected a bool tensor of (Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk), "
                        "found Float (2, 3)"));
  EXPECT_THROW(Mask::padding(at::zeros({2})), InvalidArgument);
  EXPECT_THROW(Mask::padding(at::ones({2}, at::kBool)), InvalidArgument);
  EXPECT_THROW(Mask::dense(at::Tensor()), InvalidArgument);
}

// d2l: lengths (3) for a batch of 2; pytorch#39439: (B, Tk) where (Tq, Tk) is meant.
TEST(Mask, WrongSizesSayWhatWasExpected) {
  const auto use = [](const Mask& mask) {
    return message_of([&] { mask.materialise(2, 5, 3, 4, at::kCPU); });
  };
  EXPECT_EQ(
      use(Mask::padding({1, 2, 3})),
      "[mask] expected lengths of (B) or (B, Tq) where B = 2, H = 5, Tq = 3, Tk = 4, found (3)");
  EXPECT_THAT(use(Mask::padding(at::ones({2, 4}, at::kLong))), HasSubstr("found (2, 4)"));
  EXPECT_THAT(use(Mask::padding({1, 5})), HasSubstr("expected lengths in [0, Tk]"));
  EXPECT_THAT(use(Mask::padding({1, -1})), HasSubstr("found -1 at 1"));
  EXPECT_THAT(use(Mask::dense(at::ones({2, 4}, at::kBool))), HasSubstr("Mask::keys"));
  for (const auto& shape : std::vector<std::vector<int64_t>>{
           {3, 5}, {3, 1}, {3, 3, 4}, {2, 2, 4}, {2, 4, 3, 4}, {1, 5, 3, 1}})
    EXPECT_THAT(use(Mask::dense(at::ones(shape, at::kBool))),
                HasSubstr("(Tq, Tk), (B, Tq, Tk) or (B, H, Tq, Tk)"));
  EXPECT_THAT(use(Mask::keys(at::ones({2, 3}, at::kBool))), HasSubstr("(B, Tk)"));
  EXPECT_THROW(Mask::dense(at::ones({4}, at::kBool)), InvalidArgument);
  EXPECT_THROW(Mask::dense(at::ones({1, 1, 1, 1, 1}, at::kBool)), InvalidArgument);
  EXPECT_THROW(Mask::window(0), InvalidArgument);
  EXPECT_THROW(Mask::padding(at::ones({1, 1, 1}, at::kLong)), InvalidArgument);
}

}  // namespace
}  // namespace attend
