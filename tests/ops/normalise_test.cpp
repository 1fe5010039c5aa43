// Sparsemax, and the choice between normalisers.
#include "attend/ops/normalise.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <limits>

#include "attend/core/errors.h"
#include "attend/ops/masked_softmax.h"
#include "attend/ops/sparsemax.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<at::ScalarType> kDtypes{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};

at::Tensor golden(const std::string& name) {
  static const Goldens goldens("attention/goldens.safetensors");
  return goldens.get(name);
}

// Rows as the goldens have them: ties, one key far ahead, all equal, far from 0.
at::Tensor golden_rows(int64_t n) {
  at::Tensor x = cosines({5, n}, 1.3);
  x[1].mul_(0.1);
  x[2].mul_(30.0);
  x[3].fill_(0.25);
  x[4].add_(1000.0);
  return x;
}

TEST(Sparsemax, AgreesWithBisection) {
  for (const int64_t n : {1, 2, 3, 8, 67}) {
    const at::Tensor expected = golden("sparsemax." + std::to_string(n) + ".weights");
    const at::Tensor found = sparsemax(golden_rows(n), at::Tensor());
    EXPECT_TRUE(close(found, expected)) << n;
    EXPECT_TRUE(identical(found.gt(0.0), expected.gt(1e-15))) << n;
    EXPECT_TRUE(close(sparsemax(golden_rows(n).slice(0, 0, 4).to(at::kFloat), at::Tensor()),
                      expected.slice(0, 0, 4).to(at::kFloat)))
        << n;
  }
}

// Martins & Astudillo 2016, 2.2: two scores t and 0 give (t + 1) / 2 between -1 and 1.
TEST(Sparsemax, TwoKeysByHand) {
  const at::Tensor s = at::tensor({0.5, 0.0, 1.5, 0.0, -0.2, 0.0}, at::kDouble).view({3, 1, 2});
  EXPECT_TRUE(close(sparsemax(s, Mask::none()),
                    at::tensor({0.75, 0.25, 1.0, 0.0, 0.4, 0.6}, at::kDouble).view({3, 1, 2})));
}

TEST(Sparsemax, SumsToOneInEveryDtype) {
  for (const auto dtype : kDtypes) {
    const at::Tensor found = sparsemax(cosines({2, 3, 300}, 0, dtype), Mask::padding({300, 5}));
    EXPECT_EQ(found.scalar_type(), dtype);
    EXPECT_TRUE(
        close(found.to(at::kDouble).sum(-1), at::ones({2, 3}, at::kDouble), tolerance_of(dtype)));
    EXPECT_TRUE(found.ge(0.0).all().item<bool>());
  }
}

// Rows 0 to 3 of the first sentence see all, the second sees two keys, the third none.
struct UnderMasks : ::testing::TestWithParam<Normaliser> {
  static TensorFunction under(const Mask& mask) {
    return [=](const auto& in) { return normalise(in[0], mask, GetParam()); };
  }
};

TEST_P(UnderMasks, GradientsInDouble) {
  for (const Mask& mask : {Mask::none(), Mask::padding({4, 2, 0}), Mask::causal(-1)})
    for (const double factor : {1.0, 0.2, 5.0})
      EXPECT_TRUE(check_gradients(
          under(mask), {cosines({3, 3, 4}, 0.4).mul(factor).contiguous().set_requires_grad(true)}));
  EXPECT_TRUE(check_gradients(under(Mask::padding({4, 0})), {leaf({2, 2, 3, 4})}));
}

TEST_P(UnderMasks, WhatIsHiddenIsNeverRead) {
  for (const auto dtype : kDtypes)
    for (const double garbage : {std::nan(""), kInfinity, -kInfinity, 6e4}) {
      const Mask mask = Mask::padding({4, 2, 0});
      const std::vector<at::Tensor> clean{leaf({3, 3, 4}, 0.4, dtype)};
      at::Tensor x = clean[0].detach().clone();
      x[1].slice(-1, 2).fill_(garbage);
      x[2].fill_(garbage);
      const std::vector<at::Tensor> dirty{x.set_requires_grad(true)};
      EXPECT_TRUE(identical(under(mask)(dirty), under(mask)(clean)));
      EXPECT_TRUE(identical(under(mask)(clean)[2], at::zeros({3, 4}, dtype)));
      // What arrives at hidden weights counts for nothing either.
      at::Tensor direction = cosines({3, 3, 4}, 2.0, dtype);
      direction[1].slice(-1, 2).fill_(garbage);
      direction[2].fill_(garbage);
      const at::Tensor found =
          torch::autograd::grad({under(mask)(dirty)}, {dirty[0]}, {direction})[0];
      EXPECT_TRUE(identical(found, torch::autograd::grad({under(mask)(clean)}, {clean[0]},
                                                         {cosines({3, 3, 4}, 2.0, dtype)})[0]));
      EXPECT_TRUE(identical(found[2], at::zeros({3, 4}, dtype)));
    }
}

TEST_P(UnderMasks, VisibleNanStaysInItsRow) {
  at::Tensor x = cosines({1, 3, 4});
  x[0][1][2] = std::nan("");
  const at::Tensor clean = under(Mask::none())({cosines({1, 3, 4})}),
                   found = under(Mask::none())({x});
  EXPECT_TRUE(identical(found[0][0], clean[0][0]));
  EXPECT_TRUE(identical(found[0][2], clean[0][2]));
  EXPECT_TRUE(found[0][1][2].isnan().item<bool>());
}

TEST_P(UnderMasks, EmptyAndSingleKeys) {
  EXPECT_EQ(under(Mask::none())({cosines({2, 3, 0})}).sizes(), at::IntArrayRef({2, 3, 0}));
  EXPECT_EQ(under(Mask::padding(std::vector<int64_t>{}))({cosines({0, 3, 4})}).numel(), 0);
  EXPECT_TRUE(identical(gradients_of(under(Mask::none()), {leaf({2, 3, 0})})[0],
                        at::zeros({2, 3, 0}, at::kDouble)));
  if (GetParam() != Normaliser::kNone) {
    EXPECT_TRUE(
        identical(under(Mask::none())({cosines({2, 3, 1})}), at::ones({2, 3, 1}, at::kDouble)));
  }
}

TEST_P(UnderMasks, LeavesItsArgumentAlone) {
  const at::Tensor x = cosines({2, 3, 4}), before = x.clone();
  under(Mask::padding({2, 0}))({x});
  EXPECT_TRUE(identical(x, before));
}

TEST_P(UnderMasks, OnCudaAsOnTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const std::vector<at::Tensor> in{leaf({3, 3, 4}, 0.4)};
  const std::vector<at::Tensor> there{in[0].detach().to(at::kCUDA).set_requires_grad(true)};
  const TensorFunction f = under(Mask::padding({4, 2, 0}));
  EXPECT_TRUE(close(f(there).cpu(), f(in)));
  EXPECT_TRUE(close(gradients_of(f, there)[0].cpu(), gradients_of(f, in)[0]));
}

INSTANTIATE_TEST_SUITE_P(Normalisers, UnderMasks,
                         ::testing::Values(Normaliser::kSoftmax, Normaliser::kSparsemax,
                                           Normaliser::kNone));

TEST(Sparsemax, IsItsComposedTwin) {
  for (const at::Tensor& hidden :
       {at::Tensor(), cosines({3, 1, 4}, 2).gt(0.3), at::ones({1, 1, 4}, at::kBool)}) {
    const std::vector<at::Tensor> in{leaf({3, 3, 4}, 0.4)};
    const TensorFunction own = [&](const auto& x) { return sparsemax(x[0], hidden); };
    const TensorFunction twin = [&](const auto& x) { return sparsemax_composed(x[0], hidden); };
    EXPECT_TRUE(identical(own(in), twin(in)));
    EXPECT_TRUE(close(gradients_of(own, in)[0], gradients_of(twin, in)[0]));
  }
}

TEST(Normalise, NamesTheSameAsTheFunctions) {
  const at::Tensor x = cosines({2, 2, 3, 4});
  const Mask mask = Mask::padding({3, 0});
  EXPECT_TRUE(identical(normalise(x, mask, Normaliser::kSoftmax), masked_softmax(x, mask)));
  EXPECT_TRUE(identical(normalise(x, mask, Normaliser::kSparsemax), sparsemax(x, mask)));
  EXPECT_TRUE(
      identical(normalise(x, mask, Normaliser::kNone), x * mask.materialise(2, 2, 3, 4, at::kCPU)));
}

TEST(Normalise, WrongArgumentsAreNamed) {
  EXPECT_THAT(
      message_of([] { sparsemax(cosines({2, 4}), Mask::none()); }),
      HasSubstr("[sparsemax] expected scores of (B, Tq, Tk) or (B, H, Tq, Tk), found (2, 4)"));
  EXPECT_THAT(message_of([] { sparsemax(cosines({2, 3, 4}), at::ones({3, 3}, at::kBool)); }),
              HasSubstr("found (2, 3, 4) and (3, 3)"));
  EXPECT_THAT(message_of([] { sparsemax(cosines({2, 3, 4}), cosines({2, 3, 4})); }),
              HasSubstr("a bool tensor"));
  EXPECT_THROW(normalise(cosines({2, 3, 4}), Mask::padding({1, 1, 1}), Normaliser::kNone),
               InvalidArgument);
  EXPECT_THROW(sparsemax(at::Tensor(), Mask::none()), InvalidArgument);
}

}  // namespace
}  // namespace attend::ops
