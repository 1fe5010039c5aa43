// Training with bfloat16 products: the same loss, within what the rounding explains.
#include "attend/ops/products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/sin.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "attend/ops/linear.h"
#include "attend/ops/projected_cross_entropy.h"
#include "tests/training/training_run.h"

namespace attend::training {
namespace {

using ops::Products;
using ops::ProductsScope;

at::Tensor waves(at::IntArrayRef shape, double first) {
  return at::linspace(first, first + 11, c10::multiply_integers(shape)).sin().reshape(shape);
}

double largest(const at::Tensor& x) { return x.abs().max().item<double>(); }

TEST(Products, AreFloatAgainAfterTheScope) {
  EXPECT_EQ(ops::products(), Products::kFloat32);
  {
    const ProductsScope low(Products::kBfloat16);
    EXPECT_EQ(ops::products(), Products::kBfloat16);
    const ProductsScope inner(Products::kFloat32);
    EXPECT_EQ(ops::products(), Products::kFloat32);
  }
  EXPECT_EQ(ops::products(), Products::kFloat32);
}

// Output and gradients of one layer, with products of the given kind.
std::vector<at::Tensor> pass_of(Products products, bool loss) {
  ParameterStore store;
  const Linear linear(store.scope("x"), {.inputs = 24, .outputs = 10});
  store.allocate({.seed = 1});
  const at::Tensor x = waves({7, 24}, 0).requires_grad_();
  const ProductsScope scope(products);
  at::Tensor y;
  if (loss)
    y = ops::projected_cross_entropy(x, linear.weight(), linear.bias(),
                                     at::linspace(0, 9, 7).to(at::kLong));
  else
    y = (linear(x) * waves({7, 10}, 2)).sum();
  y.backward();
  return {y.detach(), x.grad(), linear.weight().grad(), linear.bias().grad()};
}

TEST(Products, InBfloat16AreNearThoseInFloatButNotThem) {
  for (const bool loss : {false, true}) {
    const auto exact = pass_of(Products::kFloat32, loss), low = pass_of(Products::kBfloat16, loss);
    for (size_t i = 0; i < exact.size(); ++i) {
      ASSERT_EQ(low[i].scalar_type(), at::kFloat);
      ASSERT_EQ(low[i].sizes(), exact[i].sizes());
      // bfloat16 keeps eight bits; some operands are rounded, then the product.
      EXPECT_LT(largest(low[i] - exact[i]), 0.03 * largest(exact[i])) << i << loss;
    }
    EXPECT_GT(largest(low[1] - exact[1]), 1e-5);
    EXPECT_GT(largest(low[2] - exact[2]), 1e-5);
  }
}

RunResult run_with(Products products, double& loss, StepProfile* profile = nullptr) {
  ModelConfig model;
  model.kind = ModelKind::kTransformer;
  model.source_vocabulary = model.target_vocabulary = kTinyVocabulary;
  model.hidden = 16;
  model.layers = 1;
  model.feed_forward = 32;
  model.dropout = 0.0;
  const auto built = make_model(model, {.seed = 3});
  TemporaryFolder folder;
  RunSettings settings;
  settings.config.epochs = 25;
  settings.config.products = products;
  settings.profile = profile;
  settings.callbacks.on_epoch = [&](const EpochRecord& record) { loss = *record.train_loss; };
  return run_training(folder.path(), settings, built.get());
}

TEST(Products, InBfloat16TrainToTheSameLoss) {
  if (!ops::bfloat16_declined().empty()) GTEST_SKIP() << ops::bfloat16_declined();
  double exact = 0.0, low = 0.0;
  run_with(Products::kFloat32, exact);
  StepProfile profile;
  run_with(Products::kBfloat16, low, &profile);
  EXPECT_THAT(profile.declined(), testing::HasSubstr("bfloat16"));
  EXPECT_LT(exact, 1.5);  // it has learned: at first it is log(12) = 2.48
  EXPECT_NE(low, exact);
  EXPECT_NEAR(low, exact, 0.05);
}

TEST(Products, InBfloat16AreRefusedWhereTheProcessorHasNoneOfThem) {
  const std::string declined = ops::bfloat16_declined();
  if (declined.empty()) GTEST_SKIP() << "this processor has them";
  EXPECT_THAT(declined, testing::HasSubstr("AVX512-BF16"));
  double loss = 0.0;
  EXPECT_THROW(run_with(Products::kBfloat16, loss), InvalidArgument);
}

}  // namespace
}  // namespace attend::training
