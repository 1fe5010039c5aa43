// A layer under torch::nn and torch::optim.
#include "attend/layers/as_module.h"

#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "attend/attention/multi_head.h"
#include "tests/support/tensors.h"

namespace attend {
namespace {

using Module = AsModule<MultiHeadAttention>;
const MultiHeadAttention::Options kOptions{.query_size = 6, .heads = 2, .bias = true};

TEST(AsModule, HasTheLayersParametersUnderTheirNames) {
  const Module module(kOptions);
  const auto named = module.named_parameters();
  ASSERT_EQ(named.size(), module.store().slots().size());
  for (const auto& slot : module.store().slots()) {
    const at::Tensor* found = named.find(slot->name);
    ASSERT_NE(found, nullptr) << slot->name;
    EXPECT_TRUE(found->is_same(slot->value)) << slot->name;
  }
  EXPECT_NE(named.find("query.weight"), nullptr);
  EXPECT_NE(named.find("output.bias"), nullptr);
}

TEST(AsModule, TorchsOptimiserTrainsIt) {
  Module module(kOptions);
  torch::optim::SGD optimiser(module.parameters(), /*lr=*/0.002);
  const at::Tensor x = testing::cosines({1, 4, 6}, 0, at::kFloat);
  const auto loss = [&] { return module->forward(x, x, x, Mask::causal()).output.square().sum(); };
  const double before = loss().item<double>();
  const at::Tensor flat = module.store().flat().clone();
  for (int i = 0; i < 5; ++i) {
    optimiser.zero_grad();
    loss().backward();
    optimiser.step();
  }
  EXPECT_LT(loss().item<double>(), 0.9 * before);
  EXPECT_FALSE(at::equal(flat, module.store().flat()));  // it is the store's own buffer that moved
}

TEST(AsModule, RefusesToMoveInPlaceOfBreakingTheBuffer) {
  Module module(kOptions);
  module.to(at::kFloat);
  module.to(at::Device(at::kCPU), at::kFloat);
  EXPECT_THROW(module.to(at::kDouble), InvalidArgument);
  EXPECT_THROW(module.to(at::Device(at::kMeta)), InvalidArgument);
  const Module in_double(kOptions, {.dtype = at::kDouble});
  EXPECT_EQ(in_double.parameters().front().scalar_type(), at::kDouble);
}

}  // namespace
}  // namespace attend
