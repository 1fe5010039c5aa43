// Multi-head attention in all its variations: the right numbers, and what holds for each of them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "attend/attention/multi_head.h"
#include "attend/core/errors.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"
#include "tests/support/rounding.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using Options = MultiHeadAttention::Options;

const Goldens& goldens() {
  static const Goldens golden("attention/heads.safetensors");
  return golden;
}

struct Layer {
  explicit Layer(const Options& options, at::ScalarType dtype = at::kDouble)
      : attention(store.scope(), options) {
    store.allocate({.dtype = dtype});
    for (const auto& slot : store.slots())
      set_parameter(store, slot->name,
                    cosines(slot->shape, static_cast<double>(slot->offset)).mul(0.5));
  }
  at::Tensor self(const at::Tensor& x, const Mask& mask) const {
    return attention.forward(x, x, x, mask).output;
  }
  ParameterStore store;
  MultiHeadAttention attention;
};

// ---- Right numbers ----

struct Golden {
  std::string name;
  bool causal;
  Options options;
};

std::vector<Golden> golden_cases() {
  using Kind = PositionKind;
  return {
      {"torch.two", true, {.heads = 4, .key_value_heads = 2}},
      {"torch.one", false, {.heads = 4, .key_value_heads = 1}},
      {"plain", false, {.heads = 4, .bias = true}},
      {"dot", true, {.heads = 4, .score = ScoreKind::kDot}},
      {"grouped", false, {.heads = 4, .key_value_heads = 2, .bias = true}},
      {"multi_query", true, {.heads = 4, .key_value_heads = 1}},
      {"rotary", true, {.heads = 4, .positions = Kind::kRotary}},
      {"rotary.halves",
       false,
       {.heads = 2, .positions = Kind::kRotary, .rotary = {.layout = RotaryLayout::kHalves}}},
      {"alibi", true, {.heads = 3, .positions = Kind::kAlibi}},
      {"alibi.both", false, {.heads = 4, .key_value_heads = 2, .positions = Kind::kAlibi}},
      {"relative", false, {.heads = 4, .positions = Kind::kRelative, .max_distance = 2}},
      {"relative.keys",
       true,
       {.heads = 4,
        .key_value_heads = 2,
        .positions = Kind::kRelative,
        .max_distance = 3,
        .relative_values = false}},
      {"t5", false, {.heads = 4, .positions = Kind::kT5, .t5 = {.buckets = 8, .max_distance = 5}}},
      {"t5.causal",
       true,
       {.heads = 4,
        .positions = Kind::kT5,
        .t5 = {.buckets = 4, .max_distance = 5, .bidirectional = false}}},
      {"window", false, {.heads = 4, .window = 2}},
      {"window.causal",
       true,
       {.heads = 4,
        .window = 3,
        .positions = Kind::kRotary,
        .rotary = {.layout = RotaryLayout::kHalves}}},
      {"linear", false, {.heads = 4, .bias = true, .linear = true}},
      {"linear.causal", true, {.heads = 4, .key_value_heads = 2, .linear = true}},
      {"additive", false, {.heads = 4, .score = ScoreKind::kAdditive}},
      {"bilinear", true, {.heads = 4, .key_value_heads = 2, .score = ScoreKind::kBilinear}},
      {"cosine", false, {.heads = 4, .score = ScoreKind::kCosine, .positions = Kind::kRotary}},
      {"gaussian", true, {.heads = 4, .score = ScoreKind::kGaussian, .positions = Kind::kAlibi}},
      {"sparsemax", false, {.heads = 4, .normaliser = Normaliser::kSparsemax}},
      {"none", true, {.heads = 4, .key_value_heads = 1, .normaliser = Normaliser::kNone}},
  };
}

// What rounding in float may do to the output and to the weights, from the layer in double.
struct Bounds {
  Tolerance output, weights;
};

Bounds bounds_of(const Golden& golden, const ParameterStore& store, const at::Tensor& x,
                 const ops::AttentionResult& found) {
  std::vector<at::Tensor> numbers = store.tensors();
  numbers.push_back(x);
  // A projection, a product of a head's features, the softmax's sum and the pool, the output.
  const int64_t width = x.size(2), keys = x.size(1);
  const int64_t scores = width + width / golden.options.heads;
  return {rounding(at::kFloat, scores + 2 * keys + width, size_summed(found.output, numbers)),
          rounding(at::kFloat, scores + keys, size_summed(found.weights, numbers))};
}

TEST(HeadOptions, AgreeWithPyTorchOrTheFormula) {
  for (Golden golden : golden_cases()) {
    const auto get = [&](const std::string& part) { return goldens().get(golden.name + part); };
    golden.options.query_size = get(".x").size(2);
    Bounds bounds;
    for (const auto dtype : {at::kDouble, at::kFloat}) {
      const Layer layer(golden.options, dtype);
      for (const auto& slot : layer.store.slots())
        set_parameter(layer.store, slot->name, get(".parameter." + slot->name));
      const Mask mask =
          Mask::padding(get(".lengths")) & (golden.causal ? Mask::causal() : Mask::none());
      const at::Tensor x = get(".x").to(dtype).set_requires_grad(true);
      const auto found = layer.attention.forward(x, x, x, mask, {.return_weights = true});
      if (dtype == at::kDouble) bounds = bounds_of(golden, layer.store, x, found);
      EXPECT_TRUE(close(found.output, get(".output").to(dtype),
                        dtype == at::kFloat ? bounds.output : tolerance_of(dtype)))
          << golden.name << " " << dtype;
      if (goldens().has(golden.name + ".weights")) {
        EXPECT_TRUE(close(found.weights, get(".weights").to(dtype),
                          dtype == at::kFloat ? bounds.weights : tolerance_of(dtype)))
            << golden.name << " " << dtype;
      }
    }
  }
}

// ---- What holds for each ----

struct Kind {
  std::string name;
  Options options;
  bool shuffles = false;  // without positions the order means nothing
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::vector<Kind> kinds() {
  const auto with = [](const std::function<void(Options&)>& change) {
    Options options{.query_size = 4, .heads = 2, .bias = true};
    change(options);
    return options;
  };
  const auto positions = [&](PositionKind kind) {
    return with([&](Options& o) {
      o.positions = kind;
      o.max_distance = 2;
      o.t5 = {.buckets = 4, .max_distance = 3};
    });
  };
  const auto score = [&](ScoreKind kind) { return with([&](Options& o) { o.score = kind; }); };
  return {
      {"multi-query", with([](Options& o) { o.key_value_heads = 1; }), true},
      {"window", with([](Options& o) { o.window = 2; })},
      {"narrowest window", with([](Options& o) { o.window = 1; })},
      {"linear", with([](Options& o) { o.linear = true, o.key_value_heads = 1; }), true},
      {"rotary", positions(PositionKind::kRotary)},
      {"rotary halves, window", with([](Options& o) {
         o.positions = PositionKind::kRotary;
         o.rotary.layout = RotaryLayout::kHalves;
         o.window = 3;
       })},
      {"alibi", positions(PositionKind::kAlibi)},
      {"relative", positions(PositionKind::kRelative)},
      {"relative keys, window", with([](Options& o) {
         o.positions = PositionKind::kRelative;
         o.max_distance = 1;
         o.relative_values = false;
         o.window = 3;
       })},
      {"t5", positions(PositionKind::kT5)},
      {"additive", score(ScoreKind::kAdditive), true},
      {"dot", score(ScoreKind::kDot), true},
      {"bilinear, multi-query", with([](Options& o) {
         o.score = ScoreKind::kBilinear;
         o.key_value_heads = 1;
       }),
       true},
      {"cosine", score(ScoreKind::kCosine), true},
      {"gaussian", score(ScoreKind::kGaussian), true},
      {"sparsemax", with([](Options& o) { o.normaliser = Normaliser::kSparsemax; }), true},
      {"unnormalised", with([](Options& o) { o.normaliser = Normaliser::kNone; }), true},
  };
}

class EachOption : public ::testing::TestWithParam<Kind> {
 protected:
  const Layer layer_{GetParam().options};
};

TEST_P(EachOption, GradientsInDouble) {
  std::vector<at::Tensor> in{leaf({2, 3, 4})};
  for (const at::Tensor& p : layer_.store.tensors()) in.push_back(p);
  for (const Mask& mask : {Mask::causal(), Mask::padding({3, 0})})
    EXPECT_TRUE(check_gradients(
        [&](const std::vector<at::Tensor>& x) { return layer_.self(x[0], mask); }, in));
  const ops::AttentionOptions dropped{.dropout = {.probability = 0.4, .seed = 1, .step = 3}};
  EXPECT_TRUE(check_gradients(
      [&](const std::vector<at::Tensor>& x) {
        return layer_.attention.forward(x[0], x[0], x[0], Mask::none(), dropped).output;
      },
      in));
}

TEST_P(EachOption, CachedEqualsUncachedInPiecesOfAnyLength) {
  const at::Tensor x = cosines({2, 9, 4});
  const auto whole = layer_.attention.forward(x, x, x, Mask::causal(), {.return_weights = true});
  for (const int64_t piece : {1, 2, 4, 9}) {
    KeyValueCache cache;
    for (int64_t t = 0; t < 9; t += piece) {
      const int64_t n = std::min<int64_t>(piece, 9 - t);
      const auto step = layer_.attention.step(x.narrow(1, t, n), cache, {.return_weights = true});
      EXPECT_TRUE(close(step.output, whole.output.narrow(1, t, n))) << piece << " at " << t;
      EXPECT_TRUE(close(step.weights, whole.weights.narrow(2, t, n).narrow(3, 0, t + n)));
    }
    const int64_t window = GetParam().options.window;
    if (window > 0) {
      EXPECT_EQ(cache.keys.size(2), window - 1);
    }
  }
}

TEST_P(EachOption, CachesOfAnyLengthAreValuesThatReorder) {
  const at::Tensor x = cosines({3, 9, 4});
  const at::Tensor order = at::tensor(std::vector<int64_t>{2, 0, 2}, at::kLong);
  const at::Tensor whole = layer_.self(x, Mask::causal());
  KeyValueCache cache;
  for (int64_t t = 0; t < 9; ++t) {
    KeyValueCache copy = cache;
    copy.reorder(order);
    const at::Tensor token = x.narrow(1, t, 1);
    const at::Tensor other = layer_.attention.step(token.index_select(0, order), copy).output;
    EXPECT_TRUE(close(other, whole.narrow(1, t, 1).index_select(0, order)));
    EXPECT_TRUE(close(layer_.attention.step(token, cache).output, whole.narrow(1, t, 1)));
  }
}

TEST_P(EachOption, ACacheOfOtherSentencesIsRefused) {
  KeyValueCache cache;
  layer_.attention.step(cosines({1, 3, 4}), cache);
  const auto more = [&] { layer_.attention.step(cosines({2, 1, 4}), cache); };
  EXPECT_THAT(message_of(more), HasSubstr("sentences"));
}

TEST_P(EachOption, AFutureTokenChangesNothingBeforeIt) {
  const at::Tensor x = cosines({1, 5, 4});
  const at::Tensor before = layer_.self(x, Mask::causal());
  for (int64_t j = 0; j < 5; ++j)
    for (const double odd : {2.0, std::numeric_limits<double>::quiet_NaN()}) {
      at::Tensor y = x.clone();
      y.select(1, j).fill_(odd);
      EXPECT_TRUE(
          identical(layer_.self(y, Mask::causal()).narrow(1, 0, j), before.narrow(1, 0, j)));
    }
}

TEST_P(EachOption, PaddingAndNeighboursChangeNothing) {
  const std::vector<int64_t> lengths{1, 7, 0, 3};
  at::Tensor x = cosines({4, 7, 4});
  for (size_t b = 0; b < 4; ++b)
    x.select(0, static_cast<int64_t>(b))
        .slice(0, lengths[b])
        .fill_(std::numeric_limits<double>::quiet_NaN());
  const at::Tensor batch = layer_.self(x, Mask::padding(lengths));
  for (size_t b = 0; b < 4; ++b) {
    const auto i = static_cast<int64_t>(b);
    const at::Tensor alone = x.narrow(0, i, 1).narrow(1, 0, lengths[b]);
    EXPECT_TRUE(
        close(batch.narrow(0, i, 1).narrow(1, 0, lengths[b]), layer_.self(alone, Mask::none())));
  }
}

TEST_P(EachOption, NoParameterLearnsFromPadding) {
  const std::vector<int64_t> lengths{1, 5, 0, 3};
  const auto gradients = [&](double padding) {
    at::Tensor x = cosines({4, 5, 4});
    for (int64_t b = 0; b < 4; ++b) x[b].slice(0, lengths[static_cast<size_t>(b)]).fill_(padding);
    const at::Tensor y = layer_.self(x, Mask::padding(lengths));
    std::vector<at::Tensor> real;
    for (int64_t b = 0; b < 4; ++b)
      real.push_back(y[b].slice(0, 0, lengths[static_cast<size_t>(b)]).square().sum());
    return torch::autograd::grad({at::stack(real).sum()}, layer_.store.tensors(), {}, std::nullopt,
                                 false, /*allow_unused=*/true);
  };
  const auto expected = gradients(0.0);
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto found = gradients(odd);
    for (size_t i = 0; i < found.size(); ++i) {
      if (!expected[i].defined()) continue;
      EXPECT_TRUE(close(found[i], expected[i])) << layer_.store.slots()[i]->name << " " << odd;
    }
  }
}

TEST_P(EachOption, DeadRowsAreZeroBesideTheBias) {
  const at::Tensor x = cosines({2, 3, 4});
  const auto found =
      layer_.attention.forward(x, x, x, Mask::padding({3, 0}), {.return_weights = true});
  const at::Tensor bias = layer_.attention.output().bias();
  EXPECT_TRUE(identical(found.output[1], bias.expand({3, 4})));
  EXPECT_TRUE(identical(found.weights[1], at::zeros({2, 3, 3}, at::kDouble)));
}

TEST_P(EachOption, OneKeyHasAllTheWeight) {
  const at::Tensor x = cosines({2, 1, 4});
  const auto found = layer_.attention.forward(x, x, x, Mask::none(), {.return_weights = true});
  if (GetParam().options.normaliser != Normaliser::kNone) {
    EXPECT_TRUE(close(found.weights, at::ones({2, 2, 1, 1}, at::kDouble)));
  }
  const at::Tensor none = x.narrow(1, 0, 0);
  EXPECT_EQ(layer_.self(none, Mask::causal()).sizes(), at::IntArrayRef({2, 0, 4}));
}

TEST_P(EachOption, WeightsArePerHeadBeforeDropoutAndAskingChangesNothing) {
  const at::Tensor x = cosines({2, 5, 4});
  ops::AttentionOptions options{.dropout = {.probability = 0.5, .seed = 3, .step = 1}};
  const auto plain = layer_.attention.forward(x, x, x, Mask::causal(), options);
  options.return_weights = true;
  const auto asked = layer_.attention.forward(x, x, x, Mask::causal(), options);
  EXPECT_FALSE(plain.weights.defined());
  EXPECT_TRUE(identical(asked.output, plain.output));
  EXPECT_EQ(asked.weights.sizes(), at::IntArrayRef({2, 2, 5, 5}));
  if (GetParam().options.normaliser != Normaliser::kNone) {
    EXPECT_TRUE(close(asked.weights.sum(-1), at::ones({2, 2, 5}, at::kDouble)));
  }
  // Of linear attention there is nothing that could be dropped.
  EXPECT_EQ(static_cast<bool>(close(layer_.self(x, Mask::causal()), plain.output)),
            GetParam().options.linear);
}

TEST_P(EachOption, ShufflingTheTokensShufflesTheOutputsWithoutPositionsAlone) {
  const at::Tensor x = cosines({2, 4, 4});
  const at::Tensor order = at::tensor(std::vector<int64_t>{2, 0, 3, 1}, at::kLong);
  const at::Tensor shuffled = layer_.self(x.index_select(1, order), Mask::none());
  const bool same = close(shuffled, layer_.self(x, Mask::none()).index_select(1, order));
  EXPECT_EQ(same, GetParam().shuffles || GetParam().options.window == 1);
}

TEST_P(EachOption, BFloat16IsNearDouble) {
  const Layer layer(GetParam().options, at::kBFloat16);
  const at::Tensor x = cosines({2, 5, 4}, 0, at::kBFloat16);
  EXPECT_TRUE(close(layer.self(x, Mask::causal()).to(at::kDouble),
                    layer_.self(x.to(at::kDouble), Mask::causal()), {0.1, 0.1}));
}

INSTANTIATE_TEST_SUITE_P(Options, EachOption, ::testing::ValuesIn(kinds()), [](const auto& info) {
  std::string name;
  for (const char c : info.param.name)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name;
});

TEST(HeadOptions, DistancesBeyondTheTableAreClipped) {
  const Layer layer(
      {.query_size = 4, .heads = 2, .positions = PositionKind::kRelative, .max_distance = 4});
  EXPECT_TRUE(all_finite(layer.self(cosines({1, 10, 4}), Mask::none())));
}

// The positions of a query after cached keys go on where those end.
TEST(HeadOptions, RelativeSchemesHangOnDistancesAlone) {
  for (const auto kind :
       {PositionKind::kRotary, PositionKind::kAlibi, PositionKind::kRelative, PositionKind::kT5}) {
    const Layer layer({.query_size = 4, .heads = 2, .positions = kind});
    const at::Tensor x = cosines({1, 3, 4});
    const at::Tensor q = x.narrow(1, 2, 1);
    const at::Tensor near =
        layer.attention.forward_projected(q, layer.attention.project(x, x, 0), Mask::none()).output;
    const at::Tensor far =
        layer.attention.forward_projected(q, layer.attention.project(x, x, 40), Mask::none())
            .output;
    EXPECT_TRUE(close(near, far));
  }
}

TEST(HeadOptions, ThoseThatDoNotFitAreRefusedWithTheirNumbers) {
  const auto build = [](Options options) {
    options.query_size = 12;
    return message_of([&] {
      ParameterStore store;
      MultiHeadAttention(store.scope(), options);
    });
  };
  EXPECT_THAT(build({.heads = 5}), HasSubstr("found 5 heads and hidden 12"));
  EXPECT_THAT(build({.heads = 4, .key_value_heads = 3}),
              HasSubstr("key_value_heads that divide heads, found 3 key_value_heads and heads 4"));
  EXPECT_THAT(build({.window = -1}), HasSubstr("window of at least 0, found -1"));
  EXPECT_THAT(build({.score = ScoreKind::kAdditive, .positions = PositionKind::kRelative}),
              HasSubstr("positions are relative"));
  EXPECT_THAT(build({.heads = 12, .positions = PositionKind::kRotary}),
              HasSubstr("rotary need heads of at least 2 features, found hidden 12 in 12 heads"));
  const std::vector<Options> linear{{.score = ScoreKind::kDot, .linear = true},
                                    {.normaliser = Normaliser::kSparsemax, .linear = true},
                                    {.linear = true, .window = 3},
                                    {.linear = true, .positions = PositionKind::kAlibi}};
  for (const Options& options : linear)
    EXPECT_THAT(build(options), HasSubstr("expected linear attention without"));
}

}  // namespace
}  // namespace attend
