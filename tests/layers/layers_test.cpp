// Layers against PyTorch's, with the same weights.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/layers/embedding.h"
#include "attend/layers/feed_forward.h"
#include "attend/layers/gru.h"
#include "attend/layers/layer_norm.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

struct Stack {
  Stack(int64_t inputs, int64_t hidden, int64_t layers, at::ScalarType dtype = at::kDouble)
      : gru(store.scope("g"), {.inputs = inputs, .hidden = hidden, .layers = layers}) {
    store.allocate({.seed = 4, .dtype = dtype});
  }
  ParameterStore store;
  Gru gru;
};

TEST(GruStack, AgreesWithPyTorch) {
  const auto get = [](const std::string& name) { return goldens().get("gru." + name); };
  Stack stack(4, 3, 2);
  for (const std::string l : {"0", "1"})
    for (const std::string name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"})
      set_parameter(stack.store, "g.layers." + l + "." + name, get(name + "_l" + l));
  const ops::TimeMajor layout = ops::time_major({0, 3, 3, 8, 9}, at::kCPU);
  std::vector<at::Tensor> initial;
  for (int64_t l = 0; l < 2; ++l)
    initial.push_back(get("initial")[l].index_select(0, layout.order_tensor));
  const Gru::Output output =
      stack.gru.forward(get("x").index_select(0, layout.from_packed), layout, initial, {}, {});
  EXPECT_TRUE(close(output.rows.index_select(0, layout.to_packed), get("rows")));
  ASSERT_EQ(output.final.size(), 2u);
  for (int64_t l = 0; l < 2; ++l)
    EXPECT_TRUE(
        close(output.final[static_cast<size_t>(l)].index_select(0, layout.rank), get("final")[l]));
}

TEST(GruStack, ItsStepsAreThoseOfTheWhole) {
  const Stack stack(2, 3, 3);
  const ops::TimeMajor layout = ops::time_major({0, 4, 8}, at::kCPU);
  const at::Tensor x = cosines({8, 2});  // time-major: two rows a step
  const Gru::Output whole = stack.gru.forward(x, layout, {}, {}, {});
  std::vector<at::Tensor> states(3, at::zeros({2, 3}, at::kDouble));
  for (int64_t t = 0; t < 4; ++t)
    EXPECT_TRUE(
        close(stack.gru.step(x.narrow(0, 2 * t, 2), states), whole.rows.narrow(0, 2 * t, 2)));
  for (size_t l = 0; l < 3; ++l) EXPECT_TRUE(close(states[l], whole.final[l]));
}

TEST(GruStack, DropoutActsBetweenTheLayersAlone) {
  const ops::DropoutState dropout{.probability = 0.5, .seed = 1, .step = 1};
  const ops::TimeMajor layout = ops::time_major({0, 2, 5}, at::kCPU);
  const auto rows = ops::row_numbers(layout, {0, 2});
  for (const int64_t layers : {1, 2}) {
    const Stack stack(2, 8, layers);
    const at::Tensor x = cosines({5, 2});
    const at::Tensor plain = stack.gru.forward(x, layout, {}, {}, {}).rows;
    const at::Tensor dropped = stack.gru.forward(x, layout, {}, dropout, rows).rows;
    EXPECT_EQ(static_cast<bool>(close(dropped, plain)), layers == 1);
    EXPECT_TRUE(identical(stack.gru.forward(x, layout, {}, dropout, rows).rows, dropped));
  }
}

TEST(GruStack, RefusesWhatDoesNotFit) {
  ParameterStore store;
  EXPECT_THROW(Gru(store.scope(), {.inputs = 1, .hidden = 1, .layers = 0}), InvalidArgument);
  const Stack stack(2, 3, 2);
  std::vector<at::Tensor> states = {at::zeros({1, 3}, at::kDouble)};
  EXPECT_THAT(message_of([&] { stack.gru.step(cosines({1, 2}), states); }),
              HasSubstr("2 states, one a layer, found 1"));
  EXPECT_THROW(
      stack.gru.forward(cosines({1, 2}), ops::time_major({0, 1}, at::kCPU), states, {}, {}),
      InvalidArgument);
}

}  // namespace
}  // namespace attend
