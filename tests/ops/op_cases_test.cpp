// The ops on kernels, by the table that attend_bench_ops times: each against its composed twin in
// float and double, and its gradient by differences.
#include "bench/op_cases.h"

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "attend/kernels/isa.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

namespace attend::bench {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)

class OpCases : public ::testing::TestWithParam<size_t> {
 protected:
  const OpCase& one() const { return op_cases()[GetParam()]; }
  // The sizes of the tests and the chapter's.
  std::vector<Sizes> sizes() const {
    std::vector<Sizes> all = one().swept;
    all.push_back(one().timed.front());
    return all;
  }
};

Leaves leaves_of(const OpCase& one, const Sizes& sizes, at::ScalarType dtype) {
  Leaves leaves = make_work(one.leaves(sizes)).leaves();
  for (at::Tensor& leaf : leaves) leaf = leaf.detach().to(dtype).requires_grad_(true);
  return leaves;
}

// Both beside the largest element, at least 8: of sums over hundreds of rows a small one keeps no
// more digits than a large one.
::testing::AssertionResult near_twin(const at::Tensor& found, const at::Tensor& expected) {
  if (expected.numel() == 0) return close(found, expected);
  const double largest = std::max(8.0, expected.abs().max().item<double>());
  return close(found / largest, expected / largest);
}

TEST_P(OpCases, AgreesWithItsTwin) {
  for (const Sizes& sizes : this->sizes())
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      SCOPED_TRACE(size_text(one(), sizes));
      const Leaves leaves = leaves_of(one(), sizes, dtype);
      const PassOfLeaves fused = one().fused(sizes), twin = one().twin(sizes);
      EXPECT_TRUE(near_twin(fused(leaves), twin(leaves)));
      const auto found = gradients_of(fused, leaves), expected = gradients_of(twin, leaves);
      for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(near_twin(found[i], expected[i])) << i;
    }
}

TEST_P(OpCases, GradientIsThatOfTheDifferences) {
  for (const Sizes& sizes : one().swept) {
    const Leaves leaves = leaves_of(one(), sizes, at::kDouble);
    int64_t numbers = 0;
    for (const at::Tensor& leaf : leaves) numbers += leaf.numel();
    if (numbers > 700) continue;  // two passes a number
    EXPECT_TRUE(check_gradients(one().fused(sizes), leaves)) << size_text(one(), sizes);
  }
}

// Of the squared gradient; undefined where a leaf does not matter to it.
std::vector<at::Tensor> second_derivatives(const PassOfLeaves& pass, const Leaves& leaves) {
  const at::Tensor out = pass(leaves);
  const auto first = torch::autograd::grad({out.mul(cosines(out.sizes().vec(), 0.7)).sum()}, leaves,
                                           {}, std::nullopt, /*create_graph=*/true);
  at::Tensor sum = at::zeros({}, at::kDouble);
  for (const at::Tensor& gradient : first) sum = sum + gradient.square().sum();
  return torch::autograd::grad({sum}, leaves, {}, std::nullopt, false, /*allow_unused=*/true);
}

// An op whose gradient is written out has none that is wrong.
TEST_P(OpCases, ASecondDerivativeIsTheTwinsOrRefused) {
  const Sizes& sizes = one().swept[1];
  const Leaves leaves = leaves_of(one(), sizes, at::kDouble);
  std::vector<at::Tensor> found;
  try {
    found = second_derivatives(one().fused(sizes), leaves);
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("is differentiable once"));
    return;
  }
  const auto expected = second_derivatives(one().twin(sizes), leaves);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto or_zeros = [&](const at::Tensor& x) {
      return x.defined() ? x : at::zeros_like(leaves[i]);
    };
    EXPECT_TRUE(near_twin(or_zeros(found[i]), or_zeros(expected[i]))) << i;
  }
}

// What the twin gives, whatever kernels the machine runs.
TEST_P(OpCases, AgreesWithItsTwinOnEveryIsa) {
  for (const std::string& isa : kernels::supported_isas()) {
    kernels::force_isa(isa);
    for (const Sizes& sizes : one().swept) {
      SCOPED_TRACE(isa + ", " + size_text(one(), sizes));
      const Leaves leaves = leaves_of(one(), sizes, at::kFloat);
      EXPECT_TRUE(close(one().fused(sizes)(leaves), one().twin(sizes)(leaves)));
    }
    kernels::force_isa("");
  }
}

// Rows that lie far apart, or one under another: ops have to see to it that kernels do not mind.
TEST_P(OpCases, TakesLeavesThatAreNotContiguous) {
  const Sizes& sizes = one().swept[1];
  const Leaves leaves = leaves_of(one(), sizes, at::kDouble);
  Leaves turned;
  for (const at::Tensor& leaf : leaves)
    turned.push_back(
        leaf.dim() < 2
            ? leaf
            : leaf.detach().transpose(0, -1).contiguous().transpose(0, -1).requires_grad_(true));
  const PassOfLeaves fused = one().fused(sizes);
  EXPECT_TRUE(close(fused(turned), fused(leaves)));
  const auto found = gradients_of(fused, turned), expected = gradients_of(fused, leaves);
  for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(close(found[i], expected[i])) << i;
}

std::string case_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name;
  for (const char c : op_cases()[info.param].name) name += std::isalnum(c) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, OpCases, ::testing::Range<size_t>(0, op_cases().size()), case_name);

}  // namespace
}  // namespace attend::bench
