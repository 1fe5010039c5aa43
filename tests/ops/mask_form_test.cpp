#include "attend/ops/mask_form.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "tests/support/compare.h"

namespace attend::ops::detail {
namespace {

using ::attend::testing::identical;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// true = hidden
at::Tensor hidden(const std::vector<int64_t>& values, const std::vector<int64_t>& shape) {
  return at::tensor(values, at::kLong).view(shape).to(at::kBool);
}

at::Tensor longs(const std::vector<int64_t>& values, const std::vector<int64_t>& shape) {
  return at::tensor(values, at::kLong).view(shape);
}

TEST(MaskForm, PrefixesOfSentencesAreLengths) {
  const HiddenForm form = form_of(hidden({0, 0, 1, 0, 0, 0, 1, 1, 1}, {3, 1, 1, 3}), 3);
  EXPECT_TRUE(identical(form.lengths, longs({2, 3, 0}, {3, 1})));
  EXPECT_THAT(form.seen, IsEmpty());
  EXPECT_FALSE(form.hidden.defined());
}

TEST(MaskForm, PrefixesOfQueriesAreTheirLengthsInEachSentence) {
  const HiddenForm form = form_of(hidden({1, 1, 1, 0, 1, 1, 0, 0, 1}, {1, 1, 3, 3}), 2);
  EXPECT_TRUE(identical(form.lengths, longs({0, 1, 2, 0, 1, 2}, {2, 3})));
}

TEST(MaskForm, KeysWithHolesAreListed) {
  const HiddenForm form = form_of(hidden({1, 0, 1, 0, 0, 1, 1, 1}, {2, 1, 1, 4}), 2);
  EXPECT_THAT(form.seen, ElementsAre(ElementsAre(1, 3), ElementsAre(0)));
  EXPECT_FALSE(form.lengths.defined());
  EXPECT_FALSE(form.hidden.defined());
  EXPECT_THAT(form_of(hidden({1, 0, 1}, {1, 1, 1, 3}), 3).seen,
              ElementsAre(ElementsAre(1), ElementsAre(1), ElementsAre(1)));
}

TEST(MaskForm, WhatRepeatsOverQueriesAndHeadsIsOfKeys) {
  const at::Tensor keys = hidden({1, 0, 1, 0, 1, 0, 0, 1}, {2, 1, 1, 4});
  EXPECT_THAT(form_of(keys.expand({2, 3, 5, 4}).contiguous(), 2).seen,
              ElementsAre(ElementsAre(1, 3), ElementsAre(1, 2)));
  EXPECT_THAT(form_of(keys.expand({2, 3, 5, 4}), 2).seen,
              ElementsAre(ElementsAre(1, 3), ElementsAre(1, 2)));
}

TEST(MaskForm, WhatDiffersStaysAsItIs) {
  const at::Tensor of_queries = hidden({1, 0, 0, 1}, {1, 1, 2, 2});
  EXPECT_TRUE(identical(form_of(of_queries, 1).hidden, of_queries));
  const at::Tensor of_heads = hidden({1, 0, 0, 1}, {1, 2, 1, 2});
  const HiddenForm form = form_of(of_heads.expand({1, 2, 3, 2}), 1);
  EXPECT_TRUE(identical(form.hidden, of_heads));
  EXPECT_FALSE(form.lengths.defined());
  EXPECT_THAT(form.seen, IsEmpty());
}

TEST(MaskForm, EmptySizes) {
  for (const auto& shape : std::vector<std::vector<int64_t>>{{0, 1, 1, 3}, {2, 1, 1, 0}})
    EXPECT_TRUE(form_of(hidden({}, shape), shape[0]).hidden.defined());
}

}  // namespace
}  // namespace attend::ops::detail
