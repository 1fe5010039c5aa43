#include "attend/models/kernel_regression.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using WidthBy = KernelRegression::WidthBy;

at::Tensor golden(const std::string& name) {
  static const Goldens goldens("attention/goldens.safetensors");
  return goldens.get("regression." + name);
}

// The chapter's training of its width: five steps of 0.5 times the summed gradient, own pairs out.
TEST(KernelRegression, LearnsTheWidthAsTheChapterDoes) {
  KernelRegression model({.width_by = WidthBy::kLearned, .width = 1.0});
  model.fit(golden("x"), golden("y"));
  EXPECT_TRUE(close(at::tensor(model.losses(), at::kDouble), golden("losses"), {1e-9, 1e-9}));
  EXPECT_TRUE(close(model.width(), golden("width"), {1e-9, 1e-9}));
  EXPECT_NEAR(model.loo_loss(), golden("loo").item<double>(), 1e-10);
  EXPECT_TRUE(close(model.predict(golden("there")), golden("predicted"), {1e-8, 1e-8}));
}

TEST(KernelRegression, CrossValidationFindsAWidthNoOtherBeats) {
  for (const KernelKind kind :
       {KernelKind::kGaussian, KernelKind::kBoxcar, KernelKind::kEpanechnikov,
        KernelKind::kTriangular, KernelKind::kCosine}) {
    KernelRegression model({.kernel = kind, .width_by = WidthBy::kCrossValidation});
    model.fit(golden("x"), golden("y"));
    const double best = model.loo_loss();
    EXPECT_LT(best, 0.1);
    for (const double factor : {0.3, 0.6, 1.6, 3.0})
      EXPECT_LE(best, model.loo_loss(model.width() * factor).item<double>()) << factor;
  }
  // Between two of the widths that are tried first the loss is lower still.
  const double spread = golden("x").std().item<double>();
  KernelRegression model({.width_by = WidthBy::kCrossValidation});
  model.fit(golden("x"), golden("y"));
  for (double width = 0.1 / spread; width < 1000 / spread; width *= 1.01)
    EXPECT_LE(model.loo_loss(),
              model.loo_loss(at::full({}, width, at::kDouble)).item<double>() * (1 + 1e-5))
        << width;
  const std::vector<double> candidates{400.0, 1.0, 12.0, 0.01};
  KernelRegression given({.width_by = WidthBy::kCrossValidation, .candidates = candidates});
  given.fit(golden("x"), golden("y"));
  EXPECT_THAT(candidates, ::testing::Contains(given.width().item<double>()));
  for (const double width : candidates)
    EXPECT_LE(given.loo_loss(), given.loo_loss(at::full({}, width, at::kDouble)).item<double>());
}

TEST(KernelRegression, WeightsArePredictionsMadeVisible) {
  const at::Tensor x = cosines({6, 3}), y = cosines({6, 2}, 1), there = cosines({4, 3}, 2);
  KernelRegression model({.kernel = KernelKind::kTriangular, .width = 0.4});
  model.fit(x, y);
  EXPECT_TRUE(close(model.weights(there).matmul(y), model.predict(there)));
  EXPECT_TRUE(close(model.weights(there).sum(-1), at::ones({4}, at::kDouble)));
  EXPECT_TRUE(
      check_gradients([&](const auto& in) { return model.predict(in[0]); }, {leaf({4, 3}, 2)}));
  EXPECT_TRUE(check_gradients([&](const auto& in) { return model.loo_loss(in[0]); },
                              {at::full({}, 0.5, at::kDouble).set_requires_grad(true)}));
}

TEST(KernelRegression, AWidthForEachDimension) {
  // y hangs on the first dimension alone: its width has to grow over the other's.
  const at::Tensor i = at::arange(60, at::kDouble);
  const at::Tensor x = at::cat({i.mul(0.9).cos().unsqueeze(1), i.mul(2.3).cos().unsqueeze(1)}, 1);
  const at::Tensor y = x.select(1, 0).mul(3.0).sin();
  KernelRegression one({.width_by = WidthBy::kLearned, .steps = 40, .learning_rate = 0.1});
  KernelRegression each(
      {.width_by = WidthBy::kLearned, .by_dimension = true, .steps = 40, .learning_rate = 0.1});
  one.fit(x, y);
  each.fit(x, y);
  EXPECT_GT(each.width()[0].item<double>(), 3.0 * each.width()[1].item<double>());
  EXPECT_LT(each.loo_loss(), one.loo_loss());
}

TEST(KernelRegression, OutOfReachIsZeroAndFarIsTheNearest) {
  const at::Tensor x = at::linspace(0, 5, 20, at::kFloat), y = x.add(1.0);
  KernelRegression boxcar({.kernel = KernelKind::kBoxcar, .width = 2.0}), gaussian({.width = 2.0});
  boxcar.fit(x, y);
  gaussian.fit(x, y);
  const at::Tensor far = at::full({1}, 100.0, at::kFloat);
  EXPECT_EQ(boxcar.predict(far).item<float>(), 0.0F);
  EXPECT_EQ(gaussian.predict(far).item<float>(), 6.0F);
  EXPECT_EQ(boxcar.predict(at::linspace(0, 1, 0, at::kFloat)).sizes(), at::IntArrayRef({0}));
}

// Blocks of queries bound the memory and change nothing.
TEST(KernelRegression, ManyPointsAreTakenInBlocks) {
  const at::Tensor x = at::arange(3000, at::kDouble).mul(0.7).cos().mul(3.0), y = x.sin();
  KernelRegression model({.width = 20.0});
  model.fit(x, y);
  const at::Tensor all = model.predict(x);
  EXPECT_TRUE(close(model.predict(x.slice(0, 1390, 1410)), all.slice(0, 1390, 1410)));
  EXPECT_LT(model.loo_loss(), 1e-3);
}

TEST(KernelRegression, OnePointIsTheAnswer) {
  KernelRegression model;
  model.fit(at::ones({1}, at::kDouble), at::full({1}, 7.0, at::kDouble));
  EXPECT_EQ(model.predict(at::full({1}, 3.0, at::kDouble)).item<double>(), 7.0);
}

TEST(KernelRegression, AFitThatFailsLeavesTheEarlierOne) {
  const at::Tensor x = cosines({6}), y = cosines({6}, 2);
  KernelRegression learned({.width_by = WidthBy::kLearned});
  learned.fit(x, y);
  const at::Tensor before = learned.predict(x);
  EXPECT_THAT(message_of([&] { learned.fit(x, y * 1e200); }), HasSubstr("left all bounds"));
  EXPECT_TRUE(identical(learned.predict(x), before));
  EXPECT_EQ(learned.losses().size(), 5u);

  KernelRegression validated({.width_by = WidthBy::kCrossValidation});
  validated.fit(x, y);
  const at::Tensor chosen = validated.predict(x);
  EXPECT_THAT(message_of([&] { validated.fit(x, y * 1e200); }), HasSubstr("no width gives"));
  EXPECT_TRUE(identical(validated.predict(x), chosen));
}

TEST(KernelRegression, BadInputIsNamed) {
  KernelRegression model;
  EXPECT_THAT(message_of([&] { model.predict(cosines({3})); }), HasSubstr("fit() first"));
  EXPECT_THAT(message_of([&] { model.fit(cosines({3}), cosines({4})); }),
              HasSubstr("N at least 1, found (3) and (4)"));
  EXPECT_THAT(message_of([&] { model.fit(cosines({2}), at::full({2}, NAN, at::kDouble)); }),
              HasSubstr("finite"));
  model.fit(cosines({5, 2}), cosines({5}));
  EXPECT_THAT(message_of([&] { model.predict(cosines({3})); }),
              HasSubstr("expected x (M, 2) of the dtype"));
  KernelRegression learned({.width_by = WidthBy::kLearned});
  EXPECT_THAT(message_of([&] { learned.fit(cosines({1}), cosines({1})); }),
              HasSubstr("at least 2"));
  EXPECT_THAT(message_of([] { KernelRegression({.width = 0.0}); }),
              HasSubstr("a width above 0, found 0.0"));
  EXPECT_THROW(KernelRegression({.candidates = {1.0, -1.0}}), InvalidArgument);
  EXPECT_THROW(KernelRegression({.steps = -1}), InvalidArgument);
  EXPECT_THROW(KernelRegression({.learning_rate = NAN}), InvalidArgument);
}

}  // namespace
}  // namespace attend
