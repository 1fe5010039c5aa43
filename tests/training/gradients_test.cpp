#include "attend/training/gradients.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "attend/core/errors.h"
#include "tests/training/tiny_model.h"

namespace attend::training {
namespace {

const ops::DropoutState kDropout{0.4, 11, 5};

data::Batch whole(const data::Dataset& dataset) {
  std::vector<int64_t> all(static_cast<size_t>(dataset.size()));
  std::iota(all.begin(), all.end(), int64_t{0});
  return data::gather(dataset, all);
}

// One pair of 3 target tokens and one of 17.
data::Batch three_and_seventeen() {
  std::vector<int32_t> shorter = {4, 5, 3};
  std::vector<int32_t> longer;
  for (int32_t i = 0; i < 17; ++i) longer.push_back(4 + i % 8);
  return data::make_batch({{shorter, shorter}, {longer, longer}});
}

TEST(Gradients, OfShardsEqualThoseOfTheWholeBatch) {
  for (const double dropout : {0.0, 0.4}) {
    const TinyModel model(dropout, at::kDouble);
    ops::TorchThreads threads(1);
    Gradients gradients(model, threads.pool());
    const ops::DropoutState state{dropout, 11, 5};
    const StepGradient one = gradients.compute(three_and_seventeen(), state, 1);
    const std::vector<double> expected = values_of(gradients.flat());
    const StepGradient two = gradients.compute(three_and_seventeen(), state, 2);
    EXPECT_EQ(one.loss.tokens, 20);
    EXPECT_EQ(two.loss.tokens, 20);
    EXPECT_NEAR(one.loss.sum, two.loss.sum, 1e-12);
    EXPECT_NEAR(one.norm, two.norm, 1e-12);
    EXPECT_THAT(values_of(gradients.flat()),
                testing::Pointwise(testing::DoubleNear(1e-12), expected));
    EXPECT_GT(one.norm, 0.01);
  }
}

// The definition: the mean over real target tokens, not the mean of the sentences' means.
TEST(Gradients, AreOfTheMeanOverRealTokens) {
  const TinyModel model(0.0, at::kDouble);
  ops::TorchThreads threads(1);
  Gradients gradients(model, threads.pool());
  gradients.compute(three_and_seventeen(), {}, 2);
  const at::Tensor loss = model.loss(three_and_seventeen(), {}).sum / 20.0;
  loss.backward();
  const auto& slots = model.parameters().slots();
  for (const auto& slot : slots) {
    const auto found = values_of(gradients.flat().narrow(0, slot->offset, slot->numel));
    const auto expected = slot->value.grad().defined()
                              ? values_of(slot->value.grad().reshape({slot->numel}))
                              : std::vector<double>(static_cast<size_t>(slot->numel), 0.0);
    EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-12), expected)) << slot->name;
  }
}

TEST(Gradients, HaveTheSameBitsAtAnyNumberOfThreads) {
  const TinyModel model(0.4);
  const data::Batch batch = whole(tiny_dataset(200));
  ASSERT_GT(data::shard_count(batch), 2);
  std::vector<double> expected;
  double loss = 0.0;
  for (const int count : {1, 2, 3}) {
    ops::TorchThreads threads(count);
    Gradients gradients(model, threads.pool());
    for (int again = 0; again < 3; ++again) {
      const StepGradient step = gradients.compute(batch, kDropout);
      if (expected.empty()) {
        expected = values_of(gradients.flat());
        loss = step.loss.sum;
      }
      EXPECT_EQ(values_of(gradients.flat()), expected) << count << " threads";
      EXPECT_EQ(step.loss.sum, loss);
    }
  }
}

TEST(Gradients, AreZeroForAParameterThatIsNotUsed) {
  const TinyModel model;
  ops::TorchThreads threads(1);
  Gradients gradients(model, threads.pool());
  gradients.compute(three_and_seventeen(), {});
  const auto& unused = *model.parameters().slots().back();
  ASSERT_EQ(unused.name, "unused.weight");
  EXPECT_THAT(values_of(gradients.flat().narrow(0, unused.offset, unused.numel)),
              testing::Each(0.0));
}

TEST(Gradients, AreTakenUnderANoGradGuardToo) {
  const TinyModel model;
  ops::TorchThreads threads(1);
  Gradients gradients(model, threads.pool());
  c10::NoGradGuard no_grad;
  EXPECT_GT(gradients.compute(three_and_seventeen(), {}).norm, 0.0);
}

TEST(Gradients, NameTheTensorThatIsNotFinite) {
  TinyModel model;
  ops::TorchThreads threads(1);
  Gradients gradients(model, threads.pool());
  gradients.compute(three_and_seventeen(), {});
  EXPECT_EQ(gradients.first_not_finite(), "");
  model.overflow_from = 0;
  const StepGradient step = gradients.compute(three_and_seventeen(), {});
  EXPECT_FALSE(std::isfinite(step.norm));
  EXPECT_EQ(gradients.first_not_finite(), "decoder.output.bias");
}

TEST(Gradients, OfABatchWithoutTargetsAreZero) {
  const TinyModel model;
  ops::TorchThreads threads(1);
  Gradients gradients(model, threads.pool());
  for (const data::Batch& batch : {data::make_batch({}), data::make_batch({{{3}, {}}})}) {
    const StepGradient step = gradients.compute(batch, {});
    EXPECT_EQ(step.loss.tokens, 0);
    EXPECT_EQ(step.norm, 0.0);
    EXPECT_THAT(values_of(gradients.flat()), testing::Each(0.0));
  }
}

TEST(DatasetLoss, EqualsTheSumOverAllPairs) {
  const TinyModel model(0.4, at::kDouble);
  const data::Dataset dataset = tiny_dataset(30);
  const double expected = model.loss(whole(dataset), {}).sum.item<double>();
  std::optional<double> first;
  for (const int count : {1, 3}) {
    ops::TorchThreads threads(count);
    const auto total = dataset_loss(model, dataset, 7, threads.pool());
    ASSERT_TRUE(total);
    EXPECT_NEAR(total->sum, expected, 1e-9);
    EXPECT_EQ(total->tokens, dataset.target.tokens());
    EXPECT_EQ(total->sum, first.value_or(total->sum));
    first = total->sum;
  }
}

TEST(DatasetLoss, EndsWhenStopped) {
  const TinyModel model;
  ops::TorchThreads threads(1);
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(dataset_loss(model, tiny_dataset(30), 7, threads.pool(), &stop));
}

TEST(TorchThreads, RestoresTheCallersSetting) {
  const int before = at::get_num_threads();
  {
    ops::TorchThreads threads(2);
    EXPECT_EQ(at::get_num_threads(), 1);
  }
  EXPECT_EQ(at::get_num_threads(), before);
}

}  // namespace
}  // namespace attend::training
