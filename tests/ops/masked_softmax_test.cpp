#include "attend/ops/masked_softmax.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/anomaly_mode.h>

#include <limits>

#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<at::ScalarType> kDtypes{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};

at::Tensor lengths(const std::vector<int64_t>& values, const std::vector<int64_t>& shape) {
  return at::tensor(values, at::kLong).view(shape);
}

TEST(MaskedSoftmax, AgreesWithTheChapterInEveryDtype) {
  for (const std::string name : {"softmax.sentence", "softmax.query"})
    for (const auto dtype : kDtypes) {
      const at::Tensor found = masked_softmax(ops_goldens().get(name + ".scores").to(dtype),
                                              Mask::padding(ops_goldens().get(name + ".lengths")));
      EXPECT_TRUE(close(found, ops_goldens().get(name + ".weights").to(dtype))) << name;
    }
}

TEST(MaskedSoftmax, WithoutAMaskIsSoftmax) {
  const at::Tensor x = cosines({2, 3, 4, 5});
  EXPECT_TRUE(close(masked_softmax(x, Mask::none()), at::softmax(x, -1)));
}

// pytorch#27968 and d2l-en#2423: length 0 is no key, not a uniform look at the padding.
TEST(MaskedSoftmax, LengthZeroGivesZeros) {
  const at::Tensor w = masked_softmax(cosines({4, 1, 5}), Mask::padding({5, 4, 1, 0}));
  EXPECT_TRUE(close(w.sum(-1).view({4}), at::tensor({1.0, 1.0, 1.0, 0.0}, at::kDouble)));
  const at::Tensor v =
      masked_softmax(cosines({2, 2, 4}), Mask::padding(lengths({1, 3, 0, 4}, {2, 2})));
  EXPECT_TRUE(identical(v.select(0, 1).select(0, 0), at::zeros({4}, at::kDouble)));
}

// d2l writes -1e6 through a view into the scores it was given.
TEST(MaskedSoftmax, LeavesItsArgumentAlone) {
  const at::Tensor x = cosines({2, 3, 4});
  const at::Tensor before = x.clone();
  masked_softmax(x, Mask::padding({1, 0}));
  EXPECT_TRUE(identical(x, before));
}

// fairseq#3575, apex#1052: -1e8 does not fit half; pytorch#109517: rows at the lowest finite
// number.
TEST(MaskedSoftmax, EveryMaskInEveryDtypeIsFinite) {
  const std::vector<Mask> masks{Mask::padding({0, 2, 4}), Mask::causal(), Mask::causal(-2),
                                Mask::window(1) & Mask::padding({3, 2, 0}),
                                Mask::dense(at::zeros({3, 4}, at::kBool))};
  for (const auto dtype : kDtypes)
    for (const Mask& mask : masks) {
      at::Tensor x = leaf({3, 3, 4}, 0.0, dtype);
      const at::Tensor w = masked_softmax(x, mask);
      EXPECT_EQ(w.scalar_type(), dtype);
      EXPECT_TRUE(all_finite(w));
      EXPECT_TRUE(all_finite(gradients_of([](const auto& in) { return in[0]; }, {w})[0]));
      const at::Tensor gone = mask.materialise(3, 1, 3, 4, at::kCPU).squeeze(1).logical_not();
      EXPECT_EQ(w.masked_select(gone.expand_as(w)).abs().sum().item<double>(), 0.0);
      const double lowest = dtype == at::kHalf       ? -65504.0
                            : dtype == at::kBFloat16 ? -3.38e38
                                                     : -3.4028e38;
      EXPECT_TRUE(all_finite(masked_softmax(at::full({3, 3, 4}, lowest, dtype), mask)));
    }
}

TEST(MaskedSoftmax, GradientsInDouble) {
  const std::vector<Mask> masks{Mask::none(), Mask::padding({0, 4}), Mask::causal(),
                                Mask::causal(-1) & Mask::padding({3, 1})};
  for (const Mask& mask : masks) {
    EXPECT_TRUE(check_gradients([&](const auto& in) { return masked_softmax(in[0], mask); },
                                {leaf({2, 3, 4})}));
    EXPECT_TRUE(check_gradients([&](const auto& in) { return masked_softmax(in[0], mask); },
                                {leaf({2, 2, 3, 4})}));
  }
}

TEST(MaskedSoftmax, IsItsComposedTwin) {
  const at::Tensor hidden =
      (Mask::padding({0, 3}) & Mask::causal()).hidden(2, 1, 3, 4, at::kCPU).squeeze(1);
  const std::vector<at::Tensor> in{leaf({2, 3, 4})};
  const TensorFunction fused = [&](const auto& x) { return masked_softmax(x[0], hidden); };
  const TensorFunction twin = [&](const auto& x) { return masked_softmax_composed(x[0], hidden); };
  EXPECT_TRUE(close(fused(in), twin(in)));
  EXPECT_TRUE(close(gradients_of(fused, in)[0], gradients_of(twin, in)[0]));
}

TEST(MaskedSoftmax, GradientIsTheSameWithGradientsOff) {
  const at::Tensor x = leaf({2, 3, 4});
  const at::Tensor with = masked_softmax(x, Mask::padding({0, 3}));
  c10::NoGradGuard no_grad;
  EXPECT_TRUE(identical(masked_softmax(x, Mask::padding({0, 3})), with));
}

// pytorch#41508: a dead row's NaN reached every parameter.
TEST(MaskedSoftmax, NothingUnderTheMaskLeaks) {
  const Mask mask = Mask::padding({2, 0});
  for (const double poison : {std::nan(""), kInfinity, -kInfinity, 1e300}) {
    at::Tensor x = cosines({2, 3, 4});
    x.slice(-1, 2).fill_(poison);
    x.select(0, 1).fill_(poison);
    x.set_requires_grad(true);
    const at::Tensor clean = leaf({2, 3, 4});
    const TensorFunction f = [&](const auto& in) { return masked_softmax(in[0], mask); };
    EXPECT_TRUE(identical(f({x}), f({clean})));
    at::Tensor direction = cosines({2, 3, 4}, 2.0);
    const at::Tensor right = gradients_of(f, {clean}, direction)[0];
    EXPECT_TRUE(identical(gradients_of(f, {x}, direction)[0], right));
    // A NaN that arrives at a hidden weight, from a value that is NaN, say.
    const at::Tensor y = f({clean});
    direction.slice(-1, 2).fill_(poison);
    EXPECT_TRUE(identical(torch::autograd::grad({y}, {clean}, {direction})[0], right));
  }
}

TEST(MaskedSoftmax, DeadRowsPassAnomalyDetection) {
  torch::autograd::DetectAnomalyGuard guard(/*check_nan=*/true);
  const auto g =
      gradients_of([](const auto& in) { return masked_softmax(in[0], Mask::padding({0, 2})); },
                   {leaf({2, 3, 4})});
  EXPECT_EQ(g[0].select(0, 0).abs().sum().item<double>(), 0.0);
}

TEST(MaskedSoftmax, EmptyAndSingleKeys) {
  const at::Tensor none = leaf({2, 3, 0});
  EXPECT_EQ(masked_softmax(none, Mask::padding({0, 0})).numel(), 0);
  EXPECT_EQ(masked_softmax(leaf({0, 3, 2}), Mask::padding(std::vector<int64_t>{})).numel(), 0);
  EXPECT_TRUE(identical(masked_softmax(cosines({2, 1, 1}), Mask::padding({1, 0})).view({2}),
                        at::tensor({1.0, 0.0}, at::kDouble)));
}

TEST(MaskedSoftmax, PermutingKeysPermutesWeights) {
  const at::Tensor order = at::tensor(std::vector<int64_t>{2, 0, 3, 1}, at::kLong);
  const at::Tensor x = cosines({2, 3, 4});
  const at::Tensor real = at::tensor(std::vector<int64_t>{1, 0, 1, 1, 0, 1, 0, 1}, at::kLong)
                              .view({2, 4})
                              .to(at::kBool);
  EXPECT_TRUE(
      close(masked_softmax(x.index_select(-1, order), Mask::keys(real.index_select(-1, order))),
            masked_softmax(x, Mask::keys(real)).index_select(-1, order)));
}

TEST(MaskedSoftmax, WrongArgumentsAreNamed) {
  EXPECT_THAT(
      message_of([] { masked_softmax(cosines({3, 4}), Mask::none()); }),
      HasSubstr("[masked_softmax] expected scores of (B, Tq, Tk) or (B, H, Tq, Tk), found (3, 4)"));
  EXPECT_THAT(message_of([] { masked_softmax(at::ones({2, 3, 4}, at::kLong), Mask::none()); }),
              HasSubstr("floating dtype"));
  EXPECT_THROW(masked_softmax(cosines({2, 3, 4}), Mask::padding({1, 2, 3})), InvalidArgument);
  EXPECT_THAT(
      message_of([] { masked_softmax(cosines({2, 3, 4}), at::ones({2, 3, 3}, at::kBool)); }),
      HasSubstr("found (2, 3, 4) and (2, 3, 3)"));
  EXPECT_THROW(masked_softmax(cosines({2, 3, 4}), at::ones({2, 3, 4})), InvalidArgument);
  EXPECT_THAT(message_of([] {
                masked_softmax(cosines({2, 3, 4}), at::ones({2, 3, 4}, at::kBool).to(at::kMeta));
              }),
              HasSubstr("hidden entries on cpu, found them on meta"));
}

}  // namespace
}  // namespace attend::ops
