// What holds for the Transformer with each of its options, and which of them don't go together.
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include <regex>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/models/transformer_layers.h"
#include "tests/models/small_models.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/model_folder.h"
#include "tests/support/tensors.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using Change = std::function<void(ModelConfig&)>;

struct Choice {
  std::string name;
  Change change;
};

void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.name; }

std::vector<Choice> choices() {
  const auto positions = [](PositionKind kind) {
    return [kind](ModelConfig& c) { c.positions = kind; };
  };
  const auto score = [](ScoreKind kind) { return [kind](ModelConfig& c) { c.score = kind; }; };
  return {{"Learned", positions(PositionKind::kLearned)},
          {"NoPositions", positions(PositionKind::kNone)},
          {"Rotary", positions(PositionKind::kRotary)},
          {"Alibi", positions(PositionKind::kAlibi)},
          {"Relative", positions(PositionKind::kRelative)},
          {"T5", positions(PositionKind::kT5)},
          {"Additive", score(ScoreKind::kAdditive)},
          {"Dot", score(ScoreKind::kDot)},
          {"Bilinear", score(ScoreKind::kBilinear)},
          {"Cosine", score(ScoreKind::kCosine)},
          {"Gaussian", score(ScoreKind::kGaussian)},
          {"Sparsemax", [](ModelConfig& c) { c.normaliser = Normaliser::kSparsemax; }},
          {"Unnormalised", [](ModelConfig& c) { c.normaliser = Normaliser::kNone; }},
          {"MultiQueryWindow", [](ModelConfig& c) { c.key_value_heads = 1, c.window = 3; }},
          {"Linear", [](ModelConfig& c) { c.linear_attention = true, c.key_value_heads = 1; }},
          {"Rms", [](ModelConfig& c) { c.norm = NormKind::kRms; }},
          {"RmsFirst", [](ModelConfig& c) { c.norm = NormKind::kRms, c.norm_first = true; }},
          {"Gelu", [](ModelConfig& c) { c.activation = Activation::kGelu; }},
          {"Swiglu", [](ModelConfig& c) { c.activation = Activation::kSwiglu; }},
          {"Llama",
           [](ModelConfig& c) {
             c.positions = PositionKind::kRotary, c.norm = NormKind::kRms, c.norm_first = true;
             c.activation = Activation::kSwiglu, c.key_value_heads = 1, c.tied_embeddings = true;
           }},
          {"ManyAtOnce", [](ModelConfig& c) {
             c.positions = PositionKind::kT5, c.score = ScoreKind::kAdditive, c.window = 2;
             c.normaliser = Normaliser::kSparsemax, c.attention_bias = true;
           }}};
}

class EachChoice : public ::testing::TestWithParam<Choice> {
 protected:
  ModelConfig config() const {
    ModelConfig config = small(ModelKind::kTransformer);
    config.longest = 4;  // shorter than the longest pair: the last row serves beyond
    GetParam().change(config);
    return config;
  }
  std::unique_ptr<Seq2Seq> make(at::ScalarType dtype = at::kDouble) const {
    return make_model(config(), {.seed = 3, .dtype = dtype});
  }
};

TEST_P(EachChoice, CachedStepsEqualTheWholePass) {
  const auto model = make();
  const at::Tensor whole = decodable(model->logits(data::make_batch(kPairs)), model->config());
  EXPECT_TRUE(close(step_through(*model, kPairs), whole, {1e-9, 1e-9}));
}

TEST_P(EachChoice, NeighboursChangeNothing) {
  const auto model = make();
  const at::Tensor together = model->logits(data::make_batch(kPairs));
  int64_t row = 0;
  for (const auto& pair : kPairs) {
    const auto length = static_cast<int64_t>(pair.second.size());
    EXPECT_TRUE(close(model->logits(data::make_batch({pair})), together.narrow(0, row, length),
                      {1e-9, 1e-10}));
    row += length;
  }
}

TEST_P(EachChoice, ALaterTargetTokenChangesNothingBeforeIt) {
  const auto model = make();
  Sentences changed = kPairs;
  changed[0].second[4] = 12;  // fed at step 5
  const at::Tensor before = model->logits(data::make_batch(kPairs));
  const at::Tensor after = model->logits(data::make_batch(changed));
  EXPECT_TRUE(identical(after.narrow(0, 0, 5), before.narrow(0, 0, 5)));
  EXPECT_FALSE(close(after.narrow(0, 5, 1), before.narrow(0, 5, 1)));
}

TEST_P(EachChoice, EveryParameterLearnsAlsoBesideAnEmptySource) {
  const auto model = make();
  const LossSum loss = model->loss(data::make_batch({kPairs[0], {{}, {4, 3}}, kPairs[2]}), {});
  const auto gradients = torch::autograd::grad({loss.sum}, model->parameters().tensors());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const std::string name = model->parameters().slots()[i]->name;
    EXPECT_TRUE(all_finite(gradients[i])) << name;
    // A query whose sparse weights are all on one key has no slope.
    if (config().normaliser != Normaliser::kSparsemax) {
      EXPECT_GT(gradients[i].abs().max().item<double>(), 0.0) << name;
    }
  }
}

TEST_P(EachChoice, DropoutIsCountedAndHangsOnNeitherShardsNorPadding) {
  const auto model = make();
  const ops::DropoutState dropout{0.3, 7, 11};
  const data::Batch batch = data::make_batch(kPairs);
  const double whole = model->loss(batch, dropout).sum.item<double>();
  EXPECT_EQ(model->loss(batch, dropout).sum.item<double>(), whole);
  EXPECT_NE(model->loss(batch, {0.3, 7, 12}).sum.item<double>(), whole);
  double parts = 0.0;
  for (const auto& shard : data::shard_batch(batch, 3))
    parts += model->loss(shard, dropout).sum.item<double>();
  EXPECT_NEAR(parts, whole, 1e-9 * whole);
}

TEST_P(EachChoice, ShowsEachLayersWeightsWhichChangesNothing) {
  const auto model = make();
  const auto plain = model->start(sources(kPairs));
  std::vector<AttentionWeights> encoder;
  const auto watched = model->start(sources(kPairs), &encoder);
  const bool sums = config().normaliser != Normaliser::kNone;
  ASSERT_EQ(encoder.size(), 2u);
  for (const auto& layer : encoder) {
    EXPECT_EQ(layer.weights.sizes(), at::IntArrayRef({4, 2, 5, 5}));
    // Of the second sentence: 2 heads, 2 tokens.
    if (sums) {
      EXPECT_NEAR(layer.weights[1].sum().item<double>(), 4.0, 1e-5);
    }
    EXPECT_EQ(layer.weights[1].narrow(-1, 2, 3).abs().max().item<float>(), 0.0f);
  }
  int64_t length = 0;
  for (const int32_t id : {2, 5, 7, 4}) {
    const std::vector<int32_t> tokens(kPairs.size(), id);
    const DecoderStep a = model->step(*plain, tokens);
    const DecoderStep b = model->step(*watched, tokens, true);
    EXPECT_TRUE(identical(b.log_probabilities, a.log_probabilities));
    ASSERT_EQ(b.attention.size(), 4u);
    ++length;
    for (const auto& layer : b.attention) {
      const int64_t keys = layer.kind == AttentionKind::kCross ? 5 : length;
      EXPECT_EQ(layer.weights.sizes(), at::IntArrayRef({4, 2, 1, keys}));
      const at::Tensor total = layer.weights.sum(-1);
      if (sums) {
        EXPECT_TRUE(close(total, total.new_ones(total.sizes())));
      }
    }
  }
}

TEST_P(EachChoice, ReorderKeepsRepeatsAndCopiesStandAlone) {
  const auto model = make();
  const auto state = model->start(sources(kPairs));
  for (const int32_t id : {2, 9, 4}) model->step(*state, std::vector<int32_t>(4, id));
  const auto copy = state->copy();
  const at::Tensor next = model->step(*state, {4, 5, 6, 7}).log_probabilities;
  copy->reorder({2, 0, 2});
  const at::Tensor some = model->step(*copy, {6, 4, 6}).log_probabilities;
  EXPECT_TRUE(close(some[0], next[2]));
  EXPECT_TRUE(close(some[1], next[0]));
  EXPECT_TRUE(close(some[2], next[2]));
}

TEST_P(EachChoice, AFolderHoldsIt) {
  ModelFolder folder(ModelKind::kTransformer, 5, kTarget, GetParam().change);
  const LoadedModel loaded = load_model(folder.path());
  const std::string page = core::read_file(ATTEND_SOURCE_DIR "/docs/model-format.md");
  ASSERT_TRUE(loaded.model->parameters().flat().equal(folder.model().parameters().flat()));
  for (const auto& slot : loaded.model->parameters().slots()) {
    std::string name = std::regex_replace(slot->name, std::regex("layers\\.[0-9]+"), "layers.{l}");
    // The projections' biases have one line for all.
    name = std::regex_replace(name, std::regex("(query|key|value|output)\\.bias$"), "$1.weight");
    EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  }
  auto pair = std::make_pair(loaded.source.encode(kSource[2]), loaded.target.encode(kTarget[2]));
  const data::Batch batch = data::make_batch({pair});
  EXPECT_TRUE(loaded.model->logits(batch).equal(folder.model().logits(batch)));
}

INSTANTIATE_TEST_SUITE_P(Transformer, EachChoice, ::testing::ValuesIn(choices()),
                         [](const auto& info) { return info.param.name; });

TEST(TransformerOptions, AnEditOfStepsLeavesLearnedPositionsAsTheyAre) {
  ModelFolder folder(ModelKind::kTransformer, 5, kTarget,
                     [](ModelConfig& c) { c.positions = PositionKind::kLearned; });
  folder.change("config.toml", "\nsteps = 7\n", "\nsteps = 20\n");
  EXPECT_EQ(load_model(folder.path()).model->config().longest, 7);
}

// pytorch#147581: each of the combinations, against nn.TransformerEncoderLayer.
TEST(TransformerOptions, EncoderLayersAgreeWithPyTorch) {
  const Goldens golden("attention/heads.safetensors");
  for (const bool first : {false, true})
    for (const bool gelu : {false, true})
      for (const bool bias : {false, true}) {
        ModelConfig config = small(ModelKind::kTransformer);
        config.norm_first = first;
        config.activation = gelu ? Activation::kGelu : Activation::kRelu;
        config.attention_bias = bias;
        const std::string name = std::string("encoder.") + (first ? "first." : "after.") +
                                 (gelu ? "gelu." : "relu.") + (bias ? "bias." : "plain.");
        ParameterStore store;
        const EncoderLayer layer(store.scope(), config);
        store.allocate({.dtype = at::kDouble});
        for (const auto& slot : store.slots())
          set_parameter(store, slot->name, golden.get(name + slot->name));
        const PackedRows rows{ops::packed_layout({0, 4, 6}, at::kCPU), {}};
        EXPECT_TRUE(
            close(layer(golden.get(name + "x"), rows, {}, nullptr), golden.get(name + "output")))
            << name;
      }
}

// The new ways reach the same numbers as the fast one where they mean the same.
TEST(TransformerOptions, AWindowOverAllIsTheFastPath) {
  ModelConfig config = small(ModelKind::kTransformer);
  config.attention_bias = true;
  const auto fast = make_model(config, {.seed = 3, .dtype = at::kDouble});
  config.window = 100;
  const auto padded = make_model(config, {.seed = 3, .dtype = at::kDouble});
  const data::Batch batch = data::make_batch(kPairs);
  EXPECT_TRUE(close(padded->logits(batch), fast->logits(batch)));
  const ops::DropoutState dropout{0.3, 7, 11};
  EXPECT_TRUE(close(padded->loss(batch, dropout).sum, fast->loss(batch, dropout).sum));
}

TEST(TransformerOptions, ThoseThatDoNotGoTogetherAreNamed) {
  const auto refused = [](const Change& change) {
    ModelConfig config = small(ModelKind::kTransformer);
    change(config);
    return message_of([&] { make_model(config, {}); });
  };
  EXPECT_EQ(refused([](ModelConfig& c) { c.heads = 3; }),
            "[model] expected heads that divide hidden, found 3 heads and hidden 8");
  EXPECT_EQ(refused([](ModelConfig& c) { c.heads = 4, c.key_value_heads = 3; }),
            "[model] expected key_value_heads that divide heads, found 3 key_value_heads and "
            "heads 4");
  EXPECT_THAT(refused([](ModelConfig& c) { c.positions = PositionKind::kLearned; }),
              HasSubstr("steps of [data]"));
  EXPECT_THAT(refused([](ModelConfig& c) {
                c.positions = PositionKind::kRelative, c.score = ScoreKind::kCosine;
              }),
              HasSubstr("positions = relative needs score = dot or scaled-dot"));
  EXPECT_THAT(refused([](ModelConfig& c) { c.positions = PositionKind::kRotary, c.heads = 8; }),
              HasSubstr("rotary needs at least 2 features a head, found heads 8 and hidden 8"));
  const auto with_linear = [&](const Change& change) {
    return refused([&](ModelConfig& c) {
      c.linear_attention = true;
      change(c);
    });
  };
  const auto expect = [&](const std::string& key, const Change& change) {
    EXPECT_THAT(with_linear(change), HasSubstr("linear_attention = true goes without " + key));
  };
  expect("score", [](ModelConfig& c) { c.score = ScoreKind::kScaledDot; });
  expect("normaliser", [](ModelConfig& c) { c.normaliser = Normaliser::kSparsemax; });
  expect("window", [](ModelConfig& c) { c.window = 4; });
  expect("positions = rotary", [](ModelConfig& c) { c.positions = PositionKind::kRotary; });
  for (const auto kind : {PositionKind::kAlibi, PositionKind::kRelative, PositionKind::kT5})
    expect("positions = alibi, relative or t5", [&](ModelConfig& c) { c.positions = kind; });
}

}  // namespace
}  // namespace attend
