// The recurrent translators in every combination of cell, direction, score and normaliser.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include <regex>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/ops/torch_threads.h"
#include "tests/models/small_models.h"
#include "tests/support/compare.h"
#include "tests/support/model_folder.h"
#include "tests/support/tensors.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

struct Choice {
  ModelKind kind;
  CellKind cell;
  bool bidirectional;
  std::optional<ScoreKind> score;
  Normaliser normaliser = Normaliser::kSoftmax;

  void apply(ModelConfig& config) const {
    config.kind = kind;
    config.cell = cell;
    config.bidirectional = bidirectional;
    config.score = score;
    config.normaliser = normaliser;
  }
  std::string name() const {
    const char* cells[] = {"rnn", "lstm", "gru"};
    const char* scores[] = {"additive", "dot", "scaled", "bilinear", "cosine", "gaussian"};
    const char* normalisers[] = {"softmax", "sparsemax", "none"};
    std::string text =
        std::string(cells[static_cast<int>(cell)]) + (bidirectional ? "_both" : "_one");
    if (kind == ModelKind::kGru) return text + "_no_attention";
    return text + "_" + (score ? scores[static_cast<int>(*score)] : "auto") + "_" +
           normalisers[static_cast<int>(normaliser)];
  }
  friend void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.name(); }
};

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const CellKind cell : {CellKind::kRnn, CellKind::kLstm, CellKind::kGru})
    for (const bool both : {false, true}) {
      all.push_back({ModelKind::kGru, cell, both, std::nullopt});
      for (int score = 0; score <= static_cast<int>(ScoreKind::kGaussian); ++score)
        for (int normaliser = 0; normaliser <= static_cast<int>(Normaliser::kNone); ++normaliser)
          all.push_back({ModelKind::kBahdanau, cell, both, static_cast<ScoreKind>(score),
                         static_cast<Normaliser>(normaliser)});
    }
  return all;
}

class RecurrentModels : public ::testing::TestWithParam<Choice> {
 protected:
  static std::unique_ptr<Seq2Seq> make() {
    ModelConfig config = small(ModelKind::kGru);
    config.embedding = 3;
    config.hidden = 4;
    GetParam().apply(config);
    auto model = make_model(config, {.seed = 3, .dtype = at::kDouble});
    c10::NoGradGuard
        no_grad;  // biases of 0 would leave states of 0, where a cosine has no gradient
    const at::Tensor flat = model->parameters().flat();
    flat.add_(cosines({flat.numel()}) * 0.1);
    return model;
  }

 private:
  const ops::TorchThreads one_{1};
};

// Step by step, teacher-forced and beside neighbours of other lengths: the same numbers.
TEST_P(RecurrentModels, StepsEqualTheWholePassWhateverTheNeighbours) {
  const auto model = make();
  const at::Tensor whole = decodable(model->logits(data::make_batch(kPairs)), model->config());
  EXPECT_TRUE(close(step_through(*model, kPairs), whole, {1e-9, 1e-9}));
}

TEST_P(RecurrentModels, EveryParameterHasItsGradientUnderDropout) {
  const auto model = make();
  const data::Batch batch = data::make_batch(kPairs);
  const ops::DropoutState dropout{0.3, 7, 11};
  const auto loss = [&] { return model->loss(batch, dropout).sum; };
  const auto gradients = torch::autograd::grad({loss()}, model->parameters().tensors());
  c10::NoGradGuard no_grad;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const ParameterSlot& slot = *model->parameters().slots()[i];
    EXPECT_GT(gradients[i].abs().max().item<double>(), 0.0) << slot.name;
    const at::Tensor direction = cosines(slot.shape, 1) * 1e-6;  // central differences along it
    slot.value.add_(direction);
    const double after = loss().item<double>();
    slot.value.sub_(direction * 2);
    const double before = loss().item<double>();
    slot.value.add_(direction);
    EXPECT_NEAR((after - before) / 2e-6, (gradients[i] * direction).sum().item<double>() * 1e6,
                1e-6)
        << slot.name;
  }
}

TEST_P(RecurrentModels, ALaterTargetTokenChangesNothingBeforeIt) {
  const auto model = make();
  Sentences changed = kPairs;
  changed[0].second[4] = 12;  // fed at step 5
  const at::Tensor before = model->logits(data::make_batch(kPairs));
  const at::Tensor after = model->logits(data::make_batch(changed));
  EXPECT_TRUE(identical(after.narrow(0, 0, 5), before.narrow(0, 0, 5)));
  EXPECT_FALSE(close(after.narrow(0, 5, 1), before.narrow(0, 5, 1)));
}

TEST_P(RecurrentModels, WeightsSumToOneAndLookAtRealTokensAlone) {
  const auto model = make();
  const auto plain = model->start(sources(kPairs)), watched = model->start(sources(kPairs));
  for (const int32_t id : {2, 5}) {
    const std::vector<int32_t> tokens(kPairs.size(), id);
    const DecoderStep step = model->step(*watched, tokens, true);
    EXPECT_TRUE(identical(step.log_probabilities, model->step(*plain, tokens).log_probabilities));
    EXPECT_EQ(step.attention.size(), GetParam().kind == ModelKind::kGru ? 0u : 1u);
    for (const AttentionWeights& layer : step.attention) {
      EXPECT_EQ(layer.weights.sizes(), at::IntArrayRef({4, 1, 1, 5}));
      EXPECT_EQ(layer.weights[1].narrow(-1, 2, 3).abs().max().item<float>(), 0.0f);
      const at::Tensor sums = layer.weights.sum(-1);
      if (GetParam().normaliser != Normaliser::kNone) {
        EXPECT_TRUE(close(sums, sums.new_ones(sums.sizes())));
      }
    }
  }
}

TEST_P(RecurrentModels, CopiesStandAloneAndReorderKeepsRepeats) {
  const auto model = make();
  const auto state = model->start(sources(kPairs));
  model->step(*state, {2, 2, 2, 2});
  const auto copy = state->copy();
  const at::Tensor next = model->step(*state, {4, 5, 6, 7}).log_probabilities;
  copy->reorder({2, 0, 2});
  const at::Tensor some = model->step(*copy, {6, 4, 6}).log_probabilities;
  EXPECT_TRUE(
      close(some, at::cat({next.narrow(0, 2, 1), next.narrow(0, 0, 1), next.narrow(0, 2, 1)})));
}

TEST_P(RecurrentModels, DropoutHangsOnNeitherShardsNorPadding) {
  const auto model = make();
  const ops::DropoutState dropout{0.3, 7, 11};
  const data::Batch batch = data::make_batch(kPairs);
  const double whole = model->loss(batch, dropout).sum.item<double>();
  double parts = 0.0;
  for (const auto& shard : data::shard_batch(batch, 3))
    parts += model->loss(shard, dropout).sum.item<double>();
  EXPECT_NEAR(parts, whole, 1e-9 * whole);
  EXPECT_NE(model->loss(batch, {}).sum.item<double>(), whole);
}

TEST_P(RecurrentModels, EmptySourcesAreDefinedAndHarmless) {
  const auto model = make();
  for (const Sentences& pairs :
       {Sentences{kPairs[0], kPairs[2], {{}, {4, 3}}}, Sentences{{{}, {4, 3}}, {{}, {3}}}}) {
    const LossSum loss = model->loss(data::make_batch(pairs), {});
    for (const auto& g : torch::autograd::grad({loss.sum}, model->parameters().tensors(), {},
                                               std::nullopt, false, /*allow_unused=*/true))
      EXPECT_TRUE(!g.defined() || all_finite(g));
    EXPECT_TRUE(close(step_through(*model, pairs).exp(),
                      decodable(model->logits(data::make_batch(pairs)), model->config()).exp()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecurrentModels, ::testing::ValuesIn(choices()),
                         [](const auto& info) { return info.param.name(); });

// A normaliser changes no tensor: one cell and direction speaks for all.
std::vector<Choice> stored_choices() {
  std::vector<Choice> all = choices();
  std::erase_if(all, [](const Choice& choice) {
    return choice.normaliser != Normaliser::kSoftmax &&
           !(choice.cell == CellKind::kLstm && choice.bidirectional);
  });
  return all;
}

class RecurrentFiles : public ::testing::TestWithParam<Choice> {};

TEST_P(RecurrentFiles, ComeBackAsTheyWere) {
  const Choice choice = GetParam();
  ModelFolder folder(choice.kind, 5, kTarget, [&](ModelConfig& c) { choice.apply(c); });
  const LoadedModel loaded = load_model(folder.path());
  const ModelConfig& config = loaded.model->config();
  EXPECT_EQ(config.cell, choice.cell);
  EXPECT_EQ(config.bidirectional, choice.bidirectional);
  EXPECT_EQ(config.score, choice.score);
  EXPECT_EQ(config.normaliser, choice.normaliser);
  const data::Batch batch = data::make_batch({{{4, 5, 3}, {6, 3}}});
  EXPECT_TRUE(identical(loaded.model->logits(batch), folder.model().logits(batch)));
}

// docs/model-format.md names every tensor, those of other cells under the name of the GRU's.
TEST_P(RecurrentFiles, HaveTensorsThatAreDescribed) {
  static const std::string page = core::read_file(ATTEND_SOURCE_DIR "/docs/model-format.md");
  ModelConfig config = small(GetParam().kind);
  GetParam().apply(config);
  const auto model = make_model(config, {});
  for (const auto& slot : model->parameters().slots()) {
    const std::string name = std::regex_replace(
        std::regex_replace(slot->name, std::regex("layers\\.[0-9]+"), "layers.{l}"),
        std::regex("coder\\.(rnn|lstm)"), "coder.gru");
    EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  }
}

INSTANTIATE_TEST_SUITE_P(Some, RecurrentFiles, ::testing::ValuesIn(stored_choices()),
                         [](const auto& info) { return info.param.name(); });

std::vector<std::string> names_of(const Choice& choice) {
  ModelConfig config = small(choice.kind);
  choice.apply(config);
  const auto model = make_model(config, {});
  std::vector<std::string> names;
  for (const auto& slot : model->parameters().slots())
    if (slot->name.find(".layers.1.") == std::string::npos)
      names.push_back(slot->name + " " + core::shape_text(slot->shape));
  return names;
}

TEST(RecurrentModelNames, AreThoseOfTheFormat) {
  const auto names = names_of(
      {ModelKind::kBahdanau, CellKind::kLstm, true, ScoreKind::kDot, Normaliser::kSparsemax});
  EXPECT_THAT(
      names,
      ::testing::ElementsAre(
          "encoder.embedding.weight (11, 6)", "encoder.lstm.layers.0.weight_ih (32, 6)",
          "encoder.lstm.layers.0.weight_hh (32, 8)", "encoder.lstm.layers.0.bias_ih (32)",
          "encoder.lstm.layers.0.bias_hh (32)", "encoder.lstm.layers.0.weight_ih_reverse (32, 6)",
          "encoder.lstm.layers.0.weight_hh_reverse (32, 8)",
          "encoder.lstm.layers.0.bias_ih_reverse (32)",
          "encoder.lstm.layers.0.bias_hh_reverse (32)",
          "encoder.bridge.layers.0.hidden.weight (8, 16)",
          "encoder.bridge.layers.0.hidden.bias (8)", "encoder.bridge.layers.0.cell.weight (8, 16)",
          "encoder.bridge.layers.0.cell.bias (8)", "decoder.embedding.weight (13, 6)",
          "decoder.attention.key.weight (8, 16)", "decoder.lstm.layers.0.weight_ih (32, 22)",
          "decoder.lstm.layers.0.weight_hh (32, 8)", "decoder.lstm.layers.0.bias_ih (32)",
          "decoder.lstm.layers.0.bias_hh (32)", "decoder.output.weight (13, 8)",
          "decoder.output.bias (13)"));
}

TEST(RecurrentModelChoices, ThatAKindMakesNoUseOfAreRefusedByName) {
  const auto message = [](ModelKind kind, const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = small(kind);
    change(config);
    return message_of([&] { make_model(config, {}); });
  };
  EXPECT_THAT(message(ModelKind::kGru, [](auto& c) { c.score = ScoreKind::kDot; }),
              HasSubstr("kind = \"gru\" makes no use of score"));
  EXPECT_THAT(message(ModelKind::kGru, [](auto& c) { c.normaliser = Normaliser::kSparsemax; }),
              HasSubstr("normaliser"));
  EXPECT_THAT(message(ModelKind::kBahdanau, [](auto& c) { c.window = 3; }), HasSubstr("window"));
  EXPECT_THAT(message(ModelKind::kTransformer, [](auto& c) { c.cell = CellKind::kLstm; }),
              HasSubstr("cell"));
  EXPECT_THAT(message(ModelKind::kTransformer, [](auto& c) { c.bidirectional = true; }),
              HasSubstr("bidirectional"));
}

}  // namespace
}  // namespace attend
