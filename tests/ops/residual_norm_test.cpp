// What the table of tests/ops/op_cases_test.cpp does not show of residual_norm and cross_entropy:
// how they refuse, when they decline, and that nothing else changes what they give.
#include "attend/ops/residual_norm.h"

#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <cmath>

#include "attend/core/errors.h"
#include "attend/ops/cross_entropy.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

ResidualNormInputs inputs(const std::vector<int64_t>& shape, at::ScalarType dtype = at::kDouble) {
  const int64_t width = shape.back();
  return {leaf(shape, 0, dtype), leaf(shape, 1, dtype), leaf({width}, 2, dtype),
          leaf({width}, 3, dtype)};
}

const ResidualNormOptions kDrops{
    .dropout = {.probability = 0.5, .seed = 3}, .site = 4, .rows = {5, 1}};

TEST(ResidualNormOp, WithoutAChangeIsLayerNorm) {
  auto in = inputs({2, 3, 5});
  in.change = at::Tensor();
  EXPECT_TRUE(close(residual_norm(in, {.epsilon = 0.25}),
                    at::layer_norm(in.x, {5}, in.gain, in.bias, 0.25)));
}

TEST(ResidualNormOp, DropsWhatDropoutDrops) {
  const auto in = inputs({2, 40});
  EXPECT_EQ(residual_norm_unsupported(in, kDrops), "");
  EXPECT_TRUE(close(residual_norm(in, kDrops), residual_norm_composed(in, kDrops)));
  const TensorFunction fused = [](const auto& x) {
    return residual_norm({x[0], x[1], x[2], x[3]}, kDrops);
  };
  EXPECT_TRUE(check_gradients(fused, {in.x, in.change, in.gain, in.bias}));
}

TEST(ResidualNormOp, TheSameWithGradientsOff) {
  const auto in = inputs({2, 7}, at::kFloat);
  const at::Tensor with = residual_norm(in, kDrops);
  c10::NoGradGuard no_grad;
  EXPECT_TRUE(identical(residual_norm(in, kDrops), with));
}

TEST(ResidualNormOp, SaysWhyItDeclines) {
  EXPECT_THAT(residual_norm_unsupported(inputs({2, 3}, at::kHalf), {}),
              HasSubstr("kernels take Float and Double, and this is Half"));
  const auto deep = inputs({2, 3, 4});
  EXPECT_EQ(residual_norm_unsupported(deep, {}), "");
  EXPECT_THAT(residual_norm_unsupported(deep, kDrops), HasSubstr("drops elements of (N, D) alone"));
  EXPECT_TRUE(close(residual_norm(deep, kDrops), residual_norm_composed(deep, kDrops)));
  const auto half = inputs({2, 3}, at::kBFloat16);
  EXPECT_TRUE(close(residual_norm(half, {}), residual_norm_composed(half, {})));
}

TEST(ResidualNormOp, RefusesWhatDoesNotFit) {
  auto in = inputs({2, 3});
  in.change = cosines({2, 4});
  EXPECT_THAT(message_of([&] { residual_norm(in, {}); }),
              HasSubstr("[residual_norm] expected x and change of (..., D), gain and bias of (D), "
                        "found (2, 3), (2, 4), (3) and (3)"));
  in = inputs({3, 3});
  EXPECT_THAT(message_of([&] { residual_norm(in, kDrops); }), HasSubstr("(2), found (3, 3)"));
  in.bias = cosines({3}).to(at::kFloat);
  EXPECT_THROW(residual_norm(in, {}), InvalidArgument);
  in.bias = cosines({2});
  EXPECT_THROW(residual_norm_composed(in, {}), InvalidArgument);
  in = inputs({2, 3});
  for (const auto op : {residual_norm, residual_norm_composed})
    for (const double p : {-0.1, 1.0, 1.5}) {
      ResidualNormOptions options = kDrops;
      options.dropout.probability = p;
      EXPECT_THAT(message_of([&] { op(in, options); }), HasSubstr("probability in [0, 1)"));
    }
}

TEST(CrossEntropyOp, RefusesWhatDoesNotFit) {
  const at::Tensor logits = cosines({2, 3}), targets = at::tensor({int64_t{0}, int64_t{2}});
  EXPECT_THAT(
      message_of([&] { cross_entropy(cosines({2}), targets); }),
      HasSubstr("[cross_entropy] expected logits (N, V) and targets (N), found (2) and (2)"));
  EXPECT_THROW(cross_entropy(cosines({3, 3}), targets), InvalidArgument);
  EXPECT_THROW(cross_entropy(logits, targets.to(at::kInt)), InvalidArgument);
  EXPECT_THAT(message_of([&] { cross_entropy(logits, targets.to(at::kMeta)); }),
              HasSubstr("targets on cpu, found them on meta"));
  EXPECT_THROW(cross_entropy(logits, {}), InvalidArgument);
  for (const int64_t bad : {-1, 3})
    for (const auto op : {cross_entropy, cross_entropy_composed})
      EXPECT_THAT(message_of([&] { op(logits, at::tensor({int64_t{0}, bad})); }),
                  HasSubstr("expected targets in [0, 3), found " + std::to_string(bad)));
}

TEST(CrossEntropyOp, LargeLogitsAndWhatIsNotFinite) {
  const at::Tensor logits = cosines({4, 300}, 0, at::kFloat).mul(1e4).requires_grad_(true);
  const at::Tensor targets = at::tensor({int64_t{0}, int64_t{2}, int64_t{299}, int64_t{5}});
  const at::Tensor loss = cross_entropy(logits, targets);
  EXPECT_TRUE(close(loss, cross_entropy_composed(logits, targets)));
  EXPECT_TRUE(all_finite(torch::autograd::grad({loss}, {logits})[0]));
  at::Tensor spoiled = logits.detach().clone();
  spoiled[2][17] = std::nan("");
  EXPECT_TRUE(std::isnan(cross_entropy(spoiled, targets).item<float>()));
}

TEST(CrossEntropyOp, OtherDtypesTakeTheTwin) {
  const at::Tensor logits = cosines({2, 3}, 0, at::kBFloat16),
                   targets = at::tensor({int64_t{0}, int64_t{2}});
  EXPECT_THAT(cross_entropy_unsupported(logits), HasSubstr("BFloat16"));
  EXPECT_TRUE(close(cross_entropy(logits, targets), cross_entropy_composed(logits, targets)));
}

}  // namespace
}  // namespace attend::ops
