// Layers against PyTorch's, with the same weights.
#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/layers/embedding.h"
#include "attend/layers/feed_forward.h"
#include "attend/layers/layer_norm.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;

const Goldens& goldens() {
  static const Goldens golden("layers/goldens.safetensors");
  return golden;
}

std::vector<std::string> names_of(const ParameterStore& store) {
  std::vector<std::string> names;
  for (const auto& slot : store.slots()) names.push_back(slot->name);
  return names;
}

TEST(Linear, IsTheProductWithEachRowOfTheWeight) {
  ParameterStore store;
  const Linear with(store.scope("with"), {.inputs = 2, .outputs = 3});
  const Linear without(store.scope("without"), {.inputs = 2, .outputs = 3, .bias = false});
  store.allocate({.dtype = at::kDouble});
  EXPECT_THAT(names_of(store), ElementsAre("with.weight", "with.bias", "without.weight"));
  EXPECT_EQ(with.bias().abs().sum().item<double>(), 0.0);
  EXPECT_FALSE(without.bias().defined());
  const at::Tensor weight = at::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, at::kDouble).view({3, 2});
  set_parameter(store, "with.weight", weight);
  set_parameter(store, "without.weight", weight);
  set_parameter(store, "with.bias", at::tensor({0.5, 0.25, -1.0}, at::kDouble));
  const at::Tensor x = at::tensor({1.0, -1.0}, at::kDouble);
  EXPECT_TRUE(close(without(x), at::tensor({-1.0, -1.0, -1.0}, at::kDouble)));
  EXPECT_TRUE(close(with(x), at::tensor({-0.5, -0.75, -2.0}, at::kDouble)));
  EXPECT_EQ(with(cosines({4, 5, 2})).sizes(), at::IntArrayRef({4, 5, 3}));
}

TEST(Embedding, GivesARowForEachId) {
  ParameterStore store;
  const Embedding embedding(store.scope("e"), {.vocabulary = 5, .width = 3});
  store.allocate({.dtype = at::kDouble});
  const at::Tensor weight = cosines({5, 3});
  set_parameter(store, "e.weight", weight);
  EXPECT_TRUE(identical(embedding(at::tensor({4, 0, 4}, at::kLong)),
                        at::stack({weight[4], weight[0], weight[4]})));
  EXPECT_EQ(embedding(at::tensor(std::vector<int64_t>{}, at::kLong)).sizes(),
            at::IntArrayRef({0, 3}));
  EXPECT_ANY_THROW(embedding(at::tensor({5}, at::kLong)));
  // A row that is used twice has both gradients.
  const auto gradient =
      torch::autograd::grad({embedding(at::tensor({4, 0, 4}, at::kLong)).sum()}, store.tensors());
  EXPECT_TRUE(
      identical(gradient[0].select(1, 0), at::tensor({1.0, 0.0, 0.0, 0.0, 2.0}, at::kDouble)));
}

TEST(FeedForward, AgreesWithPyTorch) {
  ParameterStore store;
  const FeedForward layer(store.scope("f"), {.width = 6, .inner = 9});
  store.allocate({.dtype = at::kDouble});
  EXPECT_THAT(names_of(store),
              ElementsAre("f.inner.weight", "f.inner.bias", "f.outer.weight", "f.outer.bias"));
  const auto get = [](const std::string& name) { return goldens().get("feed_forward." + name); };
  set_parameter(store, "f.inner.weight", get("inner_weight"));
  set_parameter(store, "f.inner.bias", get("inner_bias"));
  set_parameter(store, "f.outer.weight", get("outer_weight"));
  set_parameter(store, "f.outer.bias", get("outer_bias"));
  EXPECT_TRUE(close(layer(get("x")), get("output")));
}

TEST(LayerNorm, AgreesWithPyTorch) {
  ParameterStore store;
  const LayerNorm norm(store.scope("n"), {.width = 6});
  store.allocate({.dtype = at::kDouble});
  const at::Tensor x = goldens().get("norm.x");
  const at::Tensor plain = norm(x);  // ones and zeros at first
  EXPECT_TRUE(close(plain.mean(-1), at::zeros({4}, at::kDouble), {0.0, 1e-12}));
  EXPECT_TRUE(close(plain.square().mean(-1), at::zeros({4}, at::kDouble) + 1, {1e-4, 0.0}));
  set_parameter(store, "n.weight", goldens().get("norm.weight"));
  set_parameter(store, "n.bias", goldens().get("norm.bias"));
  EXPECT_TRUE(close(norm(x), goldens().get("norm.output")));
}

TEST(LayerNorm, ARowOfEqualElementsGivesTheBias) {
  ParameterStore store;
  const LayerNorm norm(store.scope(), {.width = 3});
  store.allocate({});
  EXPECT_TRUE(close(norm(at::zeros({2, 3}) + 4), at::zeros({2, 3})));
}

}  // namespace
}  // namespace attend
