// The training step by kernels against loss() and autograd on the same parameters and batch.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <limits>

#include "attend/data/batch.h"
#include "attend/kernels/isa.h"
#include "attend/models/seq2seq.h"
#include "tests/models/small_models.h"
#include "tests/support/compare.h"

namespace attend {
namespace {

using ::testing::HasSubstr;
using testing::kPairs;
using testing::message_of;
using testing::Sentences;

// Longer than most, one token, no source at all.
const Sentences kMore = {{{5, 9, 4, 8, 3}, {4, 5, 6, 7, 8, 3}},
                         {{}, {11, 12, 3}},
                         {{6, 4, 3, 6, 4, 7, 9, 10, 5, 5, 4, 8, 3}, {9, 3}},
                         {{10, 3}, {3}},
                         {{3}, {9, 10, 12, 4, 4, 4, 5, 6, 7, 8, 9, 10, 4, 4, 4, 11, 5, 6, 3}},
                         {{4, 4, 4, 3}, {7, 7, 3}}};

struct Case {
  const char* name;
  ModelConfig config;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

ModelConfig of(ModelKind kind, const std::function<void(ModelConfig&)>& change) {
  ModelConfig config = testing::small(kind);
  change(config);
  return config;
}

std::vector<Case> cases() {
  return {
      {"Gru", of(ModelKind::kGru, [](ModelConfig&) {})},
      {"GruOneLayer", of(ModelKind::kGru, [](ModelConfig& c) { c.layers = 1; })},
      {"GruOddWidths", of(ModelKind::kGru,
                          [](ModelConfig& c) {
                            c.layers = 3;
                            c.embedding = 5;
                            c.hidden = 37;
                          })},
      {"GruTied", of(ModelKind::kGru,
                     [](ModelConfig& c) {
                       c.embedding = c.hidden;
                       c.tied_embeddings = true;
                     })},
      {"Bahdanau", of(ModelKind::kBahdanau, [](ModelConfig&) {})},
      {"BahdanauOneLayer", of(ModelKind::kBahdanau, [](ModelConfig& c) { c.layers = 1; })},
      {"BahdanauOddWidths", of(ModelKind::kBahdanau,
                               [](ModelConfig& c) {
                                 c.layers = 3;
                                 c.embedding = 5;
                                 c.hidden = 37;
                               })},
      {"BahdanauTied", of(ModelKind::kBahdanau,
                          [](ModelConfig& c) {
                            c.embedding = c.hidden;
                            c.tied_embeddings = true;
                          })},
      {"Transformer", of(ModelKind::kTransformer, [](ModelConfig&) {})},
      {"TransformerPreNormTied", of(ModelKind::kTransformer,
                                    [](ModelConfig& c) {
                                      c.norm_first = true;
                                      c.tied_embeddings = true;
                                      c.heads = 4;
                                    })},
      {"TransformerLearnedBias", of(ModelKind::kTransformer,
                                    [](ModelConfig& c) {
                                      c.positions = PositionKind::kLearned;
                                      c.longest = 7;
                                      c.attention_bias = true;
                                      c.hidden = 33;
                                      c.heads = 3;
                                    })},
      {"TransformerWideHead", of(ModelKind::kTransformer,  // whose sentences go one by one
                                 [](ModelConfig& c) {
                                   c.layers = 1;
                                   c.norm_first = true;  // else all weights are 0 or 1
                                   c.hidden = 96;
                                   c.heads = 1;
                                 })},
      {"TransformerNoPositions", of(ModelKind::kTransformer,
                                    [](ModelConfig& c) {
                                      c.positions = PositionKind::kNone;
                                      c.layers = 1;
                                      c.tied_embeddings = true;
                                      c.hidden = 20;
                                      c.feed_forward = 17;
                                    })},
  };
}

class FusedStepOf : public ::testing::TestWithParam<Case> {};

// The relative difference of all parameters' gradients, the worst one.
double worst_difference(const Seq2Seq& model, const at::Tensor& found, const at::Tensor& expected) {
  double worst = 0;
  const double all = expected.norm().item<double>();
  for (const auto& slot : model.parameters().slots()) {
    const at::Tensor a = found.narrow(0, slot->offset, slot->numel),
                     b = expected.narrow(0, slot->offset, slot->numel);
    // Against the parameter's own gradient, unless that is next to nothing.
    const double size = std::max(b.norm().item<double>(), 1e-3 * all);
    worst = std::max(worst, (a - b).norm().item<double>() / size);
  }
  return worst;
}

// The step in `dtype` against loss() and autograd in double, of the same parameters. In float both
// sides round, and of the two the composed model strays further from double, so that the double one
// tells more. Parameters that are halved give scores as a trained model has them: as they are made,
// many weights are 0 or 1, gradients are in part what rounding left, and float strays from double
// by up to 1.3e-5 in the step and 1.7e-5 in the composed model (a Transformer's, whose gradients
// come through all of its scores).
void check(const Case& c, at::ScalarType dtype, double dropout, double tolerance) {
  const auto model = make_model(c.config, {.seed = 3, .dtype = dtype});
  if (dtype == at::kFloat) model->parameters().flat().mul_(0.5);
  const auto twin = make_model(c.config, {.seed = 3, .dtype = at::kDouble});
  twin->parameters().flat().copy_(model->parameters().flat());
  FusedStep fused = model->fused_step();
  ASSERT_TRUE(fused.kernels) << fused.declined;
  const ops::DropoutState state{dropout, 5, 7};
  for (const int64_t shards : {1, 2}) {
    const auto parts = data::shard_batch(data::make_batch(kMore), shards);
    fused.kernels->prepare(shards);
    for (size_t s = 0; s < parts.size(); ++s) {
      const LossSum loss = twin->loss(parts[s], state);
      const auto gradients =
          torch::autograd::grad({loss.sum}, twin->parameters().tensors(), {}, false, false, true);
      at::Tensor expected = at::empty({model->parameters().numel()}, at::kDouble);
      twin->parameters().gather(gradients, expected);
      at::Tensor gradient = at::full_like(model->parameters().flat(), NAN).detach();
      const double sum = fused.kernels->run(static_cast<int64_t>(s), parts[s], state, gradient);
      EXPECT_NEAR(sum, loss.sum.item<double>(), tolerance * std::abs(sum));
      EXPECT_LT(worst_difference(*model, gradient.to(at::kDouble), expected), tolerance);
    }
  }
}

TEST_P(FusedStepOf, AgreesWithAutogradInDouble) { check(GetParam(), at::kDouble, 0, 1e-11); }
TEST_P(FusedStepOf, DrawsTheSameDropout) { check(GetParam(), at::kDouble, 0.3, 1e-11); }
TEST_P(FusedStepOf, AgreesWithAutogradInFloat) { check(GetParam(), at::kFloat, 0.1, 1e-5); }

TEST_P(FusedStepOf, AgreesWithAutogradOnEveryIsa) {
  for (const std::string& isa : kernels::supported_isas()) {
    SCOPED_TRACE(isa);
    kernels::force_isa(isa);
    for (const double dropout : {0.0, 0.1}) check(GetParam(), at::kFloat, dropout, 1e-5);
  }
  kernels::force_isa("");
}

TEST_P(FusedStepOf, FollowsAChangeOfTheParameters) {
  const auto model = make_model(GetParam().config, {.seed = 3, .dtype = at::kDouble});
  FusedStep fused = model->fused_step();
  const data::Batch batch = data::make_batch(kPairs);
  at::Tensor gradient = at::zeros_like(model->parameters().flat());
  fused.kernels->prepare(1);
  const double before = fused.kernels->run(0, batch, {}, gradient);
  model->parameters().flat().mul_(0.5);
  fused.kernels->prepare(1);
  const double after = fused.kernels->run(0, batch, {}, gradient);
  EXPECT_NE(before, after);
  EXPECT_NEAR(after, model->loss(batch, {}).sum.item<double>(), 1e-10);
}

// The longest way from an id to a logit, in terms that are summed: each product, norm and softmax
// sums some, and every sum is off by at most that many roundings of what it sums.
double terms(const ModelConfig& c, int64_t longest) {
  const int64_t own =
      c.kind == ModelKind::kTransformer
          ? 2 * (4 * c.hidden + 2 * longest) + 2 * (c.hidden + c.feed_forward) + 5 * c.hidden
          : 2 * longest * (2 * c.hidden + c.embedding);
  return static_cast<double>(c.layers * own + c.hidden + c.target_vocabulary);
}

template <class T>
void check_loss(const Case& c) {
  const at::ScalarType dtype = sizeof(T) == 4 ? at::kFloat : at::kDouble;
  const auto model = make_model(c.config, {.seed = 3, .dtype = dtype});
  model->parameters().flat().mul_(0.5);
  FusedStep fused = model->fused_step();
  ASSERT_TRUE(fused.kernels) << fused.declined;
  const at::Tensor gradient = at::zeros_like(model->parameters().flat());
  for (const int64_t shards : {1, 2}) {
    const auto parts = data::shard_batch(data::make_batch(kMore), shards);
    fused.kernels->prepare(shards);
    for (size_t s = 0; s < parts.size(); ++s) {
      const auto shard = static_cast<int64_t>(s);
      const double found = fused.kernels->loss(shard, parts[s]);
      EXPECT_EQ(found, fused.kernels->run(shard, parts[s], {}, gradient));
      EXPECT_EQ(found, fused.kernels->loss(shard, parts[s]));
      const double bound = std::numeric_limits<T>::epsilon() * terms(c.config, 19) * found;
      EXPECT_NEAR(found, model->loss(parts[s], {}).sum.template item<double>(), bound);
    }
  }
}

TEST_P(FusedStepOf, GivesItsLossAloneWithTheSameBits) {
  check_loss<float>(GetParam());
  check_loss<double>(GetParam());
}

// Workspaces grow to twice their size, so that only a wide difference between the two shows:
// recurrent layers leave out most of what they would keep, and the Transformer's many layers share
// the memory of one.
TEST_P(FusedStepOf, TakesNoMemoryOfGradientsForALoss) {
  ModelConfig config = GetParam().config;
  const bool transformer = config.kind == ModelKind::kTransformer;
  if (transformer) config.layers = 8;
  Sentences pairs;
  for (int64_t i = 0; i < (transformer ? 20 : 60); ++i)
    pairs.push_back({std::vector<int32_t>(40, 5), std::vector<int32_t>(40, 6)});
  const data::Batch batch = data::make_batch(pairs);
  const auto model = make_model(config, {.seed = 3});
  const auto bytes_after = [&](const auto& run) {
    FusedStep fused = model->fused_step();
    fused.kernels->prepare(1);
    run(*fused.kernels);
    return fused.kernels->bytes();
  };
  const at::Tensor gradient = at::zeros_like(model->parameters().flat());
  const size_t loss = bytes_after([&](TrainingStep& step) { step.loss(0, batch); });
  const size_t step = bytes_after([&](TrainingStep& step) { step.run(0, batch, {}, gradient); });
  EXPECT_GT(loss, 0U);
  EXPECT_LT(2 * loss, step);
}

// What the message is for a batch of one pair, or a model that begins with another token.
TEST_P(FusedStepOf, RefusesIdsOutsideItsVocabularies) {
  const auto message = [](const ModelConfig& config, int32_t source, int32_t target) {
    const auto model = make_model(config, {.seed = 3});
    FusedStep fused = model->fused_step();
    fused.kernels->prepare(1);
    const data::Batch batch = data::make_batch({{{4, source, 3}, {4, target, 3}}});
    const at::Tensor gradient = at::zeros_like(model->parameters().flat());
    const std::string message = message_of([&] { fused.kernels->run(0, batch, {}, gradient); });
    EXPECT_EQ(message_of([&] { fused.kernels->loss(0, batch); }), message);
    return message;
  };
  ModelConfig config = GetParam().config;
  const auto sources = static_cast<int32_t>(config.source_vocabulary),
             targets = static_cast<int32_t>(config.target_vocabulary);
  for (const int32_t bad : {-1, sources})
    EXPECT_THAT(message(config, bad, 4),
                HasSubstr("source ids in [0, 11), found " + std::to_string(bad)));
  for (const int32_t bad : {-1, targets})
    EXPECT_THAT(message(config, 4, bad),
                HasSubstr("target ids in [0, 13), found " + std::to_string(bad)));
  config.begin_id = targets;
  EXPECT_THAT(message(config, 4, 4), HasSubstr("found 13"));
}

TEST_P(FusedStepOf, RefusesWhatIsNoProbability) {
  const auto model = make_model(GetParam().config, {.seed = 3});
  FusedStep fused = model->fused_step();
  fused.kernels->prepare(1);
  const data::Batch batch = data::make_batch(kPairs);
  const at::Tensor gradient = at::zeros_like(model->parameters().flat());
  for (const double p : {-0.1, 1.0, 1.5})
    EXPECT_THAT(message_of([&] { fused.kernels->run(0, batch, {.probability = p}, gradient); }),
                HasSubstr("probability in [0, 1)"));
}

INSTANTIATE_TEST_SUITE_P(Models, FusedStepOf, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FusedStep, SaysWhyItDeclines) {
  const auto declined = [](ModelKind kind, const std::function<void(ModelConfig&)>& change) {
    return make_model(of(kind, change), {})->fused_step().declined;
  };
  EXPECT_NE(declined(ModelKind::kGru, [](ModelConfig& c) { c.cell = CellKind::kLstm; })
                .find("model.cell = gru"),
            std::string::npos);
  EXPECT_NE(declined(ModelKind::kGru, [](ModelConfig& c) { c.bidirectional = true; })
                .find("bidirectional"),
            std::string::npos);
  EXPECT_NE(declined(ModelKind::kBahdanau, [](ModelConfig& c) { c.score = ScoreKind::kDot; })
                .find("model.score = additive"),
            std::string::npos);
  const std::pair<const char*, std::function<void(ModelConfig&)>> kOthers[] = {
      {"positions", [](ModelConfig& c) { c.positions = PositionKind::kRotary; }},
      {"score", [](ModelConfig& c) { c.score = ScoreKind::kAdditive; }},
      {"normaliser", [](ModelConfig& c) { c.normaliser = Normaliser::kSparsemax; }},
      {"linear_attention", [](ModelConfig& c) { c.linear_attention = true; }},
      {"window", [](ModelConfig& c) { c.window = 3; }},
      {"key_value_heads", [](ModelConfig& c) { c.key_value_heads = 1; }},
      {"activation", [](ModelConfig& c) { c.activation = Activation::kGelu; }},
      {"norm", [](ModelConfig& c) { c.norm = NormKind::kRms; }}};
  for (const auto& [key, change] : kOthers)
    EXPECT_NE(declined(ModelKind::kTransformer, change).find(key), std::string::npos) << key;
}

}  // namespace
}  // namespace attend
