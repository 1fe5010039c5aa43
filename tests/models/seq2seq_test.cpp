// What holds for all three translators, and their numbers against the PyTorch peers.
#include "attend/models/seq2seq.h"

#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "attend/core/errors.h"
#include "tests/models/small_models.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/rounding.h"

namespace attend {
namespace {

using testing::close;
using testing::decodable;
using testing::Goldens;
using testing::identical;
using testing::kPairs;
using testing::rounding;
using testing::Sentences;
using testing::size_summed;
using testing::small;
using testing::sources;
using testing::step_through;
using testing::Tolerance;

std::unique_ptr<Seq2Seq> make(ModelKind kind, at::ScalarType dtype = at::kDouble) {
  return make_model(small(kind), {.seed = 3, .dtype = dtype});
}

class Seq2SeqTest : public ::testing::TestWithParam<ModelKind> {
 protected:
  std::string name() const {
    return GetParam() == ModelKind::kGru        ? "gru"
           : GetParam() == ModelKind::kBahdanau ? "bahdanau"
                                                : "transformer";
  }
};

TEST_P(Seq2SeqTest, AgreesWithThePeerInLogitsLossAndEveryGradient) {
  const Goldens golden("models/" + name() + ".safetensors");
  const auto model = make(GetParam());
  {
    c10::NoGradGuard no_grad;
    for (const auto& slot : model->parameters().slots())
      slot->value.copy_(golden.get("weight." + slot->name));
  }
  const data::Batch batch = data::make_batch(kPairs);
  EXPECT_TRUE(close(model->logits(batch), golden.get("logits"), {1e-10, 1e-10}));
  const LossSum loss = model->loss(batch, {});
  EXPECT_EQ(loss.tokens, 13);
  EXPECT_TRUE(close(loss.sum.reshape({1}), golden.get("loss"), {1e-10, 1e-10}));
  const auto gradients = torch::autograd::grad({loss.sum}, model->parameters().tensors());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const std::string parameter = model->parameters().slots()[i]->name;
    EXPECT_TRUE(close(gradients[i], golden.get("gradient." + parameter), {1e-8, 1e-9}))
        << parameter;
  }
}

// The additions that follow each other from a token to its logits in the deepest of the models, a
// Transformer of two layers: in each projections, a head's scores, softmax and pool, norms and the
// feed-forward network; in the decoder cross-attention too.
int64_t additions_of(const ModelConfig& c) {
  const int64_t keys = 6, norm = 2 * c.hidden;
  const int64_t look = 2 * c.hidden + c.hidden / c.heads + 2 * keys + norm;
  const int64_t feed_forward = c.hidden + c.feed_forward + norm;
  return c.layers * (3 * look + 2 * feed_forward) + c.hidden;
}

// Logits of each sentence alone against those of all at once.
void expect_the_same_alone(const Seq2Seq& model, Tolerance tolerance) {
  const at::Tensor together = model.logits(data::make_batch(kPairs));
  int64_t row = 0;
  for (const auto& pair : kPairs) {  // in order of falling target length already
    const auto length = static_cast<int64_t>(pair.second.size());
    EXPECT_TRUE(
        close(model.logits(data::make_batch({pair})), together.narrow(0, row, length), tolerance));
    row += length;
  }
}

// LibTorch's products choose their order of sums by the number of rows, so that both ways round on
// their own: in float by what the size of the sums allows, and in double next to nothing.
TEST_P(Seq2SeqTest, NeighboursChangeNothing) {
  const auto exact = make(GetParam()), model = make(GetParam(), at::kFloat);
  expect_the_same_alone(*exact, {1e-11, 1e-12});
  exact->parameters().flat().copy_(model->parameters().flat());
  const double size =
      size_summed(exact->logits(data::make_batch(kPairs)), exact->parameters().tensors());
  expect_the_same_alone(*model, rounding(at::kFloat, 2 * additions_of(exact->config()), size));
}

TEST_P(Seq2SeqTest, CachedStepsEqualTheWholePass) {
  const auto model = make(GetParam());
  const at::Tensor whole = decodable(model->logits(data::make_batch(kPairs)), model->config());
  EXPECT_TRUE(close(step_through(*model, kPairs), whole, {1e-9, 1e-9}));
}

TEST_P(Seq2SeqTest, ALaterTargetTokenChangesNothingBeforeIt) {
  const auto model = make(GetParam());
  Sentences changed = kPairs;
  changed[0].second[4] = 12;  // fed at step 5
  const at::Tensor before = model->logits(data::make_batch(kPairs));
  const at::Tensor after = model->logits(data::make_batch(changed));
  EXPECT_TRUE(identical(after.narrow(0, 0, 5), before.narrow(0, 0, 5)));
  EXPECT_FALSE(close(after.narrow(0, 5, 1), before.narrow(0, 5, 1)));
}

TEST_P(Seq2SeqTest, StepsPredictNeitherPaddingNorTheBeginMark) {
  const auto model = make(GetParam());
  const at::Tensor p = step_through(*model, kPairs).exp();
  EXPECT_EQ(p.select(1, model->config().padding_id).max().item<double>(), 0.0);
  EXPECT_EQ(p.select(1, model->config().begin_id).max().item<double>(), 0.0);
  EXPECT_TRUE(close(p.sum(1), p.new_ones({p.size(0)})));
}

TEST_P(Seq2SeqTest, AskingForWeightsChangesNothingAndEachRowSumsToOne) {
  const auto model = make(GetParam(), at::kFloat);
  const auto plain = model->start(sources(kPairs));
  std::vector<AttentionWeights> encoder;
  const auto watched = model->start(sources(kPairs), &encoder);
  for (const int32_t id : {2, 5, 7}) {
    const std::vector<int32_t> tokens(kPairs.size(), id);
    const DecoderStep a = model->step(*plain, tokens);
    const DecoderStep b = model->step(*watched, tokens, true);
    EXPECT_TRUE(identical(b.log_probabilities, a.log_probabilities));
    EXPECT_TRUE(a.attention.empty());
    for (const auto& layer : b.attention) {
      EXPECT_EQ(layer.weights.size(0), 4);
      const at::Tensor sums = layer.weights.sum(-1);
      EXPECT_TRUE(close(sums, sums.new_ones(sums.sizes())));
      if (layer.kind == AttentionKind::kCross) {
        EXPECT_EQ(layer.weights.size(-1), 5);
        EXPECT_EQ(layer.weights[1].narrow(-1, 2, 3).abs().max().item<float>(), 0.0f);
      }
    }
  }
  EXPECT_EQ(encoder.size(), GetParam() == ModelKind::kTransformer ? 2u : 0u);
}

TEST_P(Seq2SeqTest, ReorderKeepsRepeatsAndCopiesStandAlone) {
  const auto model = make(GetParam());
  const auto state = model->start(sources(kPairs));
  model->step(*state, {2, 2, 2, 2});
  const auto copy = state->copy();
  const at::Tensor next = model->step(*state, {4, 5, 6, 7}).log_probabilities;
  copy->reorder({2, 0, 2});
  EXPECT_EQ(copy->size(), 3);
  const at::Tensor some = model->step(*copy, {6, 4, 6}).log_probabilities;
  EXPECT_TRUE(close(some[0], next[2]));
  EXPECT_TRUE(close(some[1], next[0]));
  EXPECT_TRUE(close(some[2], next[2]));
  EXPECT_THROW(copy->reorder({3}), InvalidArgument);
  EXPECT_THROW(model->step(*copy, {6, 4}), InvalidArgument);
}

TEST_P(Seq2SeqTest, DropoutIsCountedAndHangsOnNeitherShardsNorPadding) {
  const auto model = make(GetParam());
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

TEST_P(Seq2SeqTest, AnEmptySourceIsDefinedAndHarmless) {
  const auto model = make(GetParam());
  Sentences with_empty = {kPairs[0], {{}, {4, 3}}, kPairs[2]};
  const data::Batch batch = data::make_batch(with_empty);
  const LossSum loss = model->loss(batch, {});
  for (const auto& g : torch::autograd::grad({loss.sum}, model->parameters().tensors()))
    EXPECT_TRUE(testing::all_finite(g));
  const auto state = model->start(sources(with_empty));
  const at::Tensor p = model->step(*state, {2, 2, 2}).log_probabilities.exp();
  const auto alone = model->start(sources({kPairs[0]}));
  EXPECT_TRUE(close(p[0], model->step(*alone, {2}).log_probabilities.exp()[0]));
  EXPECT_NEAR(p[1].sum().item<double>(), 1.0, 1e-9);
}

TEST_P(Seq2SeqTest, TiedEmbeddingsShareOneMatrix) {
  ModelConfig config = small(GetParam());
  config.embedding = config.hidden;
  config.tied_embeddings = true;
  const auto tied = make_model(config, {.seed = 3, .dtype = at::kDouble});
  for (const auto& slot : tied->parameters().slots())
    EXPECT_NE(slot->name, "decoder.output.weight");
  EXPECT_TRUE(testing::all_finite(tied->loss(data::make_batch(kPairs), {}).sum));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Seq2SeqTest,
                         ::testing::Values(ModelKind::kGru, ModelKind::kBahdanau,
                                           ModelKind::kTransformer),
                         [](const auto& info) {
                           return std::string(info.param == ModelKind::kGru        ? "Gru"
                                              : info.param == ModelKind::kBahdanau ? "Bahdanau"
                                                                                   : "Transformer");
                         });

TEST(MakeModel, NamesWhatDoesNotFit) {
  ModelConfig heads = small(ModelKind::kTransformer);
  heads.heads = 3;
  const std::string message = testing::message_of([&] { make_model(heads, {}); });
  EXPECT_NE(message.find("3 heads and hidden 8"), std::string::npos) << message;
  ModelConfig tied = small(ModelKind::kGru);
  tied.tied_embeddings = true;
  EXPECT_THROW(make_model(tied, {}), InvalidArgument);
  ModelConfig none = small(ModelKind::kGru);
  none.source_vocabulary = 0;
  EXPECT_THROW(make_model(none, {}), InvalidArgument);
}

TEST(MakeModel, PreNormTrainsAndStepsAlike) {
  ModelConfig config = small(ModelKind::kTransformer);
  config.norm_first = true;
  config.attention_bias = true;
  const auto model = make_model(config, {.seed = 9, .dtype = at::kDouble});
  const at::Tensor whole = decodable(model->logits(data::make_batch(kPairs)), config);
  EXPECT_TRUE(close(step_through(*model, kPairs), whole, {1e-9, 1e-9}));
}

}  // namespace
}  // namespace attend
