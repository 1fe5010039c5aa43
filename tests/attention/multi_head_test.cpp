#include "attend/attention/multi_head.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A layer with its store, all weights cos(arange) / 2.
struct Layer {
  explicit Layer(const MultiHeadAttention::Options& options, at::ScalarType dtype = at::kDouble)
      : attention(store.scope(), options) {
    store.allocate({.dtype = dtype});
    for (const auto& slot : store.slots())
      set_parameter(store, slot->name,
                    cosines(slot->shape, static_cast<double>(slot->offset)).mul(0.5));
  }
  ParameterStore store;
  MultiHeadAttention attention;
};

struct Golden {
  std::string name;
  MultiHeadAttention::Options options;
};

std::vector<Golden> goldens() {
  return {{"mha.same", {.query_size = 8, .heads = 2, .bias = true}},
          {"mha.own", {.query_size = 8, .key_size = 5, .value_size = 7, .heads = 4, .bias = true}},
          {"mha.plain", {.query_size = 6, .heads = 3}}};
}

void load(Layer& layer, const std::string& name) {
  const auto set = [&](const std::string& parameter, const std::string& part) {
    set_parameter(layer.store, parameter, ops_goldens().get(name + part));
  };
  set("query.weight", ".wq");
  set("key.weight", ".wk");
  set("value.weight", ".wv");
  set("output.weight", ".wo");
  if (!ops_goldens().has(name + ".bq")) return;
  set("query.bias", ".bq");
  set("key.bias", ".bk");
  set("value.bias", ".bv");
  set("output.bias", ".bo");
}

TEST(MultiHead, AgreesWithPyTorchInEveryDtype) {
  for (const Golden& golden : goldens())
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
      Layer layer(golden.options, dtype);
      load(layer, golden.name);
      const auto get = [&](const char* part) {
        return ops_goldens().get(golden.name + part).to(dtype);
      };
      const auto found = layer.attention.forward(
          get(".q"), get(".k"), get(".v"),
          Mask::padding(ops_goldens().get(golden.name + ".lengths")), {.return_weights = true});
      const Tolerance tolerance =
          dtype == at::kBFloat16 ? Tolerance{0.05, 0.1} : tolerance_of(dtype);
      EXPECT_TRUE(close(found.output, get(".output"), tolerance)) << golden.name << " " << dtype;
      EXPECT_TRUE(close(found.weights, get(".weights"), tolerance)) << golden.name << " " << dtype;
    }
}

TEST(MultiHead, NamesAndShapesOfParameters) {
  const Layer layer(
      {.query_size = 8, .key_size = 5, .value_size = 7, .hidden = 12, .heads = 4, .bias = true});
  std::vector<std::string> names;
  for (const auto& slot : layer.store.slots()) names.push_back(slot->name);
  EXPECT_THAT(names, ElementsAre("query.weight", "query.bias", "key.weight", "key.bias",
                                 "value.weight", "value.bias", "output.weight", "output.bias"));
  EXPECT_THAT(layer.store.slots()[2]->shape, ElementsAre(12, 5));
  EXPECT_THAT(layer.store.slots()[6]->shape, ElementsAre(12, 12));
  EXPECT_EQ(Layer({.query_size = 8, .heads = 2}).store.slots().size(), 4u);
}

TEST(MultiHead, OneHeadWithIdentityProjectionsIsScaledDotProduct) {
  Layer layer({.query_size = 5});
  for (const auto& slot : layer.store.slots())
    set_parameter(layer.store, slot->name, at::eye(5, at::kDouble));
  const at::Tensor q = cosines({2, 3, 5}), k = cosines({2, 4, 5}, 1), v = cosines({2, 4, 5}, 2);
  const Mask mask = Mask::padding({4, 2});
  EXPECT_TRUE(
      close(layer.attention.forward(q, k, v, mask).output,
            ops::scaled_dot_product_attention(q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1), mask)
                .output.squeeze(1)));
}

TensorFunction of_inputs_and_parameters(const Layer& layer, const Mask& mask,
                                        const ops::AttentionOptions& options = {}) {
  return [&layer, mask, options](const std::vector<at::Tensor>& in) {
    return layer.attention.forward(in[0], in[1], in[2], mask, options).output;
  };
}

std::vector<at::Tensor> with_parameters(const Layer& layer, std::vector<at::Tensor> inputs) {
  for (const at::Tensor& p : layer.store.tensors()) inputs.push_back(p);
  return inputs;
}

TEST(MultiHead, GradientsInDouble) {
  const Layer layer({.query_size = 4, .key_size = 3, .value_size = 5, .heads = 2, .bias = true});
  const auto in = with_parameters(layer, {leaf({2, 3, 4}), leaf({2, 4, 3}, 1), leaf({2, 4, 5}, 2)});
  for (const Mask& mask : {Mask::none(), Mask::padding({3, 0}), Mask::causal(0)})
    EXPECT_TRUE(check_gradients(of_inputs_and_parameters(layer, mask), in));
  EXPECT_TRUE(check_gradients(
      of_inputs_and_parameters(layer, Mask::none(), {.dropout = {.probability = 0.3, .seed = 1}}),
      in));
}

// pytorch#160064: all heads but one may attend to nothing.
TEST(MultiHead, DeadHeadsContributeNothingWithOrWithoutWeights) {
  const Layer layer({.query_size = 3, .heads = 3});
  at::Tensor may = at::ones({1, 3, 5, 5}, at::kBool);
  may.slice(1, 0, 2).fill_(false);
  const at::Tensor x = cosines({1, 5, 3});
  const auto with = layer.attention.forward(x, x, x, Mask::dense(may), {.return_weights = true});
  const auto without = layer.attention.forward(x, x, x, Mask::dense(may));
  EXPECT_TRUE(identical(with.output, without.output));
  EXPECT_TRUE(all_finite(with.output));
  EXPECT_TRUE(identical(with.weights.slice(1, 0, 2), at::zeros({1, 2, 5, 5}, at::kDouble)));
  EXPECT_TRUE(close(with.weights.select(1, 2).sum(-1), at::ones({1, 5}, at::kDouble)));
}

// fairseq#3365, pytorch#34537: the weights of each head.
TEST(MultiHead, WeightsArePerHead) {
  const Layer layer({.query_size = 10, .heads = 2});
  const at::Tensor x = cosines({3, 4, 10});
  const auto found = layer.attention.forward(x, x, x, Mask::none(), {.return_weights = true});
  EXPECT_EQ(found.weights.sizes(), at::IntArrayRef({3, 2, 4, 4}));
  EXPECT_FALSE(close(found.weights.select(1, 0), found.weights.select(1, 1)));
}

// transformers#38690: lengths 1, 7, 3 through two layers, each as if alone.
TEST(MultiHead, NeighboursAndPaddingChangeNothing) {
  const Layer one({.query_size = 8, .heads = 2, .bias = true}, at::kFloat);
  const Layer two({.query_size = 8, .heads = 4}, at::kFloat);
  const auto encode = [&](const at::Tensor& x, const Mask& mask) {
    const at::Tensor y = one.attention.forward(x, x, x, mask).output;
    return two.attention.forward(y, y, y, mask).output;
  };
  const std::vector<int64_t> lengths{1, 7, 3};
  const at::Tensor x = cosines({3, 7, 8}, 0, at::kFloat);
  const at::Tensor batch = encode(x, Mask::padding(lengths));
  EXPECT_TRUE(all_finite(batch));
  for (int64_t b = 0; b < 3; ++b) {
    const int64_t n = lengths[static_cast<size_t>(b)];
    EXPECT_TRUE(close(batch.slice(0, b, b + 1).slice(1, 0, n),
                      encode(x.slice(0, b, b + 1).slice(1, 0, n), Mask::none())));
  }
  // The same with the padding in front.
  const at::Tensor left = at::cat({at::full({1, 4, 8}, 5.0), x.slice(0, 2, 3).slice(1, 0, 3)}, 1);
  const at::Tensor real = at::ones({1, 7}, at::kBool);
  real.slice(1, 0, 4).fill_(false);
  EXPECT_TRUE(
      close(encode(left, Mask::keys(real)).slice(1, 4), batch.slice(0, 2, 3).slice(1, 0, 3)));
}

// A layer that is fed an empty sentence beside others.
TEST(MultiHead, AnEmptySentenceLeavesTheOthersAlone) {
  const Layer layer({.query_size = 4, .heads = 2});
  const at::Tensor x = cosines({3, 2, 4});
  const at::Tensor all = layer.attention.forward(x, x, x, Mask::padding({2, 0, 1})).output;
  const at::Tensor order = at::tensor(std::vector<int64_t>{0, 2}, at::kLong);
  const at::Tensor y = x.index_select(0, order);
  EXPECT_TRUE(close(all.index_select(0, order),
                    layer.attention.forward(y, y, y, Mask::padding({2, 1})).output));
  EXPECT_TRUE(identical(all.select(0, 1), at::zeros({2, 4}, at::kDouble)));
}

TEST(MultiHead, AFutureTokenChangesNothingBeforeIt) {
  const Layer layer({.query_size = 4, .heads = 2, .bias = true});
  const at::Tensor x = cosines({1, 5, 4});
  const auto run = [&](const at::Tensor& y) {
    return layer.attention.forward(y, y, y, Mask::causal()).output;
  };
  const at::Tensor before = run(x);
  for (int64_t j = 0; j < 5; ++j) {
    at::Tensor y = x.clone();
    y.select(1, j).add_(2.0);
    EXPECT_TRUE(identical(run(y).slice(1, 0, j), before.slice(1, 0, j)));
  }
}

// Steps with a cache of projected keys and values, as a decoder goes.
TEST(MultiHead, CachedEqualsUncached) {
  const Layer layer({.query_size = 6, .heads = 3, .bias = true});
  const at::Tensor x = cosines({2, 9, 6});
  const at::Tensor whole = layer.attention.forward(x, x, x, Mask::causal()).output;
  KeyValueCache cache = layer.attention.project(x.slice(1, 0, 1), x.slice(1, 0, 1));
  for (int64_t t = 0; t < 9; ++t) {
    const at::Tensor token = x.slice(1, t, t + 1);
    if (t > 0) {
      const auto more = layer.attention.project(token, token);
      cache.keys = at::cat({cache.keys, more.keys}, 2);
      cache.values = at::cat({cache.values, more.values}, 2);
    }
    EXPECT_TRUE(close(layer.attention.forward_projected(token, cache, Mask::causal()).output,
                      whole.slice(1, t, t + 1)));
  }
}

// Without positions, attention is blind to order.
TEST(MultiHead, ShufflingTheTokensShufflesTheOutputs) {
  const Layer layer({.query_size = 6, .heads = 2});
  const at::Tensor x = cosines({2, 4, 6});
  const at::Tensor order = at::tensor(std::vector<int64_t>{2, 0, 3, 1}, at::kLong);
  const at::Tensor y = x.index_select(1, order);
  EXPECT_TRUE(close(layer.attention.forward(y, y, y, Mask::none()).output,
                    layer.attention.forward(x, x, x, Mask::none()).output.index_select(1, order)));
}

// pytorch#25100: batch and time mixed up.
TEST(MultiHead, SentencesDoNotMix) {
  const Layer layer({.query_size = 4, .heads = 2});
  at::Tensor x = cosines({2, 3, 4});
  const at::Tensor before = layer.attention.forward(x, x, x, Mask::none()).output;
  x.select(0, 0).add_(1.0);
  const at::Tensor after = layer.attention.forward(x, x, x, Mask::none()).output;
  EXPECT_TRUE(identical(after.select(0, 1), before.select(0, 1)));
  EXPECT_FALSE(identical(after.select(0, 0), before.select(0, 0)));
}

TEST(MultiHead, WrongArgumentsAreNamed) {
  const auto build = [](const MultiHeadAttention::Options& options) {
    return message_of([&] {
      ParameterStore store;
      MultiHeadAttention attention(store.scope(), options);
    });
  };
  EXPECT_EQ(
      build({.query_size = 10, .heads = 3}),
      "[multi_head_attention] expected heads that divide hidden, found 3 heads and hidden 10");
  EXPECT_THAT(build({.query_size = 10, .heads = 0}), HasSubstr("found 0 heads"));
  EXPECT_THAT(build({.query_size = 0, .heads = 1}), HasSubstr("expected sizes of at least 1"));

  const Layer layer({.query_size = 4, .key_size = 3, .value_size = 5, .heads = 2});
  const auto call = [&](const std::vector<int64_t>& q, const std::vector<int64_t>& k,
                        const std::vector<int64_t>& v) {
    return message_of(
        [&] { layer.attention.forward(cosines(q), cosines(k), cosines(v), Mask::none()); });
  };
  EXPECT_EQ(call({2, 3, 5}, {2, 4, 3}, {2, 4, 5}),
            "[multi_head_attention] expected queries (B, Tq, 4), found (2, 3, 5)");
  EXPECT_THAT(call({2, 3, 4}, {2, 4, 4}, {2, 4, 5}), HasSubstr("keys (B, Tk, 3), found (2, 4, 4)"));
  EXPECT_THAT(call({2, 3, 4}, {2, 4, 3}, {2, 4, 4}),
              HasSubstr("values (B, Tk, 5), found (2, 4, 4)"));
  EXPECT_THAT(call({2, 4}, {2, 4, 3}, {2, 4, 5}), HasSubstr("found (2, 4)"));
  EXPECT_THAT(call({2, 3, 4}, {2, 4, 3}, {2, 3, 5}), HasSubstr("scaled_dot_product_attention"));
}

}  // namespace
}  // namespace attend
