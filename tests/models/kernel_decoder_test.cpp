// Decoding by kernels against its composed twin, step by step.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/thread_pool.h"
#include "attend/kernels/isa.h"
#include "attend/models/seq2seq.h"
#include "tests/models/small_models.h"
#include "tests/support/compare.h"

namespace attend {
namespace {

using testing::small;

struct Case {
  std::string name;
  ModelConfig config;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

ModelConfig changed(ModelKind kind, const std::function<void(ModelConfig&)>& change) {
  ModelConfig config = small(kind);
  change(config);
  return config;
}

void odd_widths(ModelConfig& c) {
  c.layers = 3;
  c.embedding = 5;
  c.hidden = 37;
  c.target_vocabulary = 1201;
}
void tied(ModelConfig& c) {
  c.embedding = c.hidden = 24;
  c.tied_embeddings = true;
}

void odd_heads(ModelConfig& c) {
  c.layers = 3;
  c.hidden = 57;
  c.heads = 3;
  c.feed_forward = 41;
  c.target_vocabulary = 1201;
}
void pre_norm(ModelConfig& c) {
  c.norm_first = c.attention_bias = true;
  c.positions = PositionKind::kLearned;
  c.longest = 20;
}

std::vector<Case> cases() {
  return {{"Gru", small(ModelKind::kGru)},
          {"GruOddWidths", changed(ModelKind::kGru, odd_widths)},
          {"GruTied", changed(ModelKind::kGru, tied)},
          {"Bahdanau", small(ModelKind::kBahdanau)},
          {"BahdanauOddWidths", changed(ModelKind::kBahdanau, odd_widths)},
          {"BahdanauTied", changed(ModelKind::kBahdanau, tied)},
          {"Transformer", small(ModelKind::kTransformer)},
          {"TransformerOddWidths", changed(ModelKind::kTransformer, odd_heads)},
          {"TransformerTied", changed(ModelKind::kTransformer, tied)},
          {"TransformerPreNorm", changed(ModelKind::kTransformer, pre_norm)}};
}

// Sentences of many lengths, in no order; some empty.
data::PackedIds sentences(int64_t count, int64_t vocabulary, bool with_empty = true) {
  data::PackedIds packed;
  for (int64_t b = 0; b < count; ++b) {
    std::vector<int32_t> ids;
    const int64_t length = (b * 7 + 3) % 11;
    for (int64_t t = 0; t < length + (with_empty ? 0 : 1); ++t)
      ids.push_back(static_cast<int32_t>((b * 5 + t * 3) % vocabulary));
    packed.append(ids);
  }
  return packed;
}

std::vector<int32_t> inputs(int64_t count, int64_t step, const ModelConfig& config) {
  std::vector<int32_t> ids;
  for (int64_t b = 0; b < count; ++b)
    ids.push_back(step == 0 ? config.begin_id
                            : static_cast<int32_t>((b * 3 + step * 5) % config.target_vocabulary));
  return ids;
}

// exp, since marks that are never predicted are at -infinity, and not there under gradients.
at::Tensor probabilities(const DecoderStep& step) { return step.log_probabilities.exp(); }

// The two log-probabilities, where both are finite.
::testing::AssertionResult agree(const DecoderStep& kernels, const DecoderStep& composed) {
  const at::Tensor expected = composed.log_probabilities.to(at::kFloat);
  const at::Tensor finite = expected.isfinite();
  if (!at::equal(finite, kernels.log_probabilities.isfinite()))
    return ::testing::AssertionFailure() << "other tokens are impossible";
  return testing::close(kernels.log_probabilities.masked_select(finite),
                        expected.masked_select(finite), {1e-5, 1e-5});
}

// Scores of fresh weights go up to dozens: their rounding shows in what they weigh.
constexpr testing::Tolerance kWeights{1e-4, 1e-5};

class KernelDecoderOf : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Seq2Seq> model_ = make_model(GetParam().config, {.seed = 3});
  std::unique_ptr<Seq2Seq> exact_ =
      make_model(GetParam().config, {.seed = 3, .dtype = at::kDouble});
  const ModelConfig& config() const { return model_->config(); }

  // The twin's state, of the parameters as they are, in double: in float it would round by the
  // order that LibTorch's products choose on this processor, and stray further than the kernels.
  std::unique_ptr<DecoderState> composed(const data::PackedIds& source,
                                         std::vector<AttentionWeights>* encoder = nullptr) {
    c10::NoGradGuard no_grad;
    exact_->parameters().flat().copy_(model_->parameters().flat());
    return exact_->start_composed(source, encoder);
  }

  // Steps both on: the same log-probabilities, the same likeliest tokens, the same weights.
  void step_both(DecoderState& kernels, DecoderState& twin, int64_t step) {
    const std::vector<int32_t> tokens = inputs(kernels.size(), step, config());
    const auto greedy = kernels.copy();
    const DecoderStep found = model_->step(kernels, tokens, true);
    const DecoderStep expected = exact_->step(twin, tokens, true);
    ASSERT_TRUE(agree(found, expected)) << "step " << step;
    LikeliestTokens likeliest, of_all;
    model_->step(*greedy, tokens, likeliest);
    attend::likeliest(found.log_probabilities, of_all);
    EXPECT_EQ(likeliest.tokens, of_all.tokens);
    EXPECT_EQ(likeliest.log_probabilities, of_all.log_probabilities);
    ASSERT_EQ(found.attention.size(), expected.attention.size());
    for (size_t l = 0; l < found.attention.size(); ++l) {
      EXPECT_EQ(found.attention[l].kind, expected.attention[l].kind);
      EXPECT_EQ(found.attention[l].layer, expected.attention[l].layer);
      EXPECT_TRUE(
          testing::close(found.attention[l].weights, expected.attention[l].weights, kWeights))
          << "weights " << l << " of step " << step;
    }
  }
};

TEST_P(KernelDecoderOf, IsTaken) { EXPECT_EQ(model_->decoding_declined(), ""); }

TEST_P(KernelDecoderOf, StepsLikeItsTwin) {
  for (const int64_t count : {1, 2, 5, 33}) {
    const data::PackedIds source = sentences(count, config().source_vocabulary);
    std::vector<AttentionWeights> found, expected;
    const auto kernels = model_->start(source, &found);
    const auto twin = composed(source, &expected);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t l = 0; l < found.size(); ++l)
      EXPECT_TRUE(testing::close(found[l].weights, expected[l].weights, kWeights));
    for (int64_t step = 0; step < 6; ++step) step_both(*kernels, *twin, step);
  }
}

TEST_P(KernelDecoderOf, GrowsWithLongOutputs) {
  const data::PackedIds source = sentences(2, config().source_vocabulary);
  const auto kernels = model_->start(source), twin = composed(source);
  for (int64_t step = 0; step < 70; ++step) step_both(*kernels, *twin, step);
}

TEST_P(KernelDecoderOf, ReordersAndCopiesLikeItsTwin) {
  const data::PackedIds source = sentences(6, config().source_vocabulary);
  auto kernels = model_->start(source), twin = composed(source);
  int64_t step = 0;
  for (const std::vector<int64_t>& rows :
       std::vector<std::vector<int64_t>>{{0, 2, 3, 5}, {3, 1, 0}, {2, 2, 0, 1, 1}, {4}, {0, 0}}) {
    step_both(*kernels, *twin, step++);
    kernels->reorder(rows);
    twin->reorder(rows);
    EXPECT_EQ(kernels->size(), static_cast<int64_t>(rows.size()));
    const auto other = kernels->copy(), its_twin = twin->copy();
    step_both(*other, *its_twin, step + 3);
    kernels->reorder({});  // the copies are left alone
    twin = its_twin->copy();
    kernels = other->copy();
    step_both(*kernels, *twin, step++);
  }
}

TEST_P(KernelDecoderOf, GivesASentenceTheSameBitsInAnyBatch) {
  const data::PackedIds source = sentences(13, config().source_vocabulary);
  const auto together = model_->start(source);
  std::vector<std::unique_ptr<DecoderState>> alone;
  for (int64_t b = 0; b < source.size(); ++b) {
    data::PackedIds one;
    one.append({source.ids.begin() + source.offsets[static_cast<size_t>(b)],
                source.ids.begin() + source.offsets[static_cast<size_t>(b) + 1]});
    alone.push_back(model_->start(one));
  }
  for (int64_t step = 0; step < 4; ++step) {
    const std::vector<int32_t> tokens = inputs(source.size(), step, config());
    const at::Tensor all = probabilities(model_->step(*together, tokens));
    for (size_t b = 0; b < alone.size(); ++b)
      EXPECT_TRUE(at::equal(all[static_cast<int64_t>(b)],
                            probabilities(model_->step(*alone[b], {tokens[b]}))[0]));
  }
}

TEST_P(KernelDecoderOf, NoticesChangedParameters) {
  const data::PackedIds source = sentences(3, config().source_vocabulary);
  const auto before = model_->step(*model_->start(source), inputs(3, 0, config()));
  const auto check = [&] {
    const auto kernels = model_->start(source), twin = composed(source);
    step_both(*kernels, *twin, 0);
    const auto again = model_->start(source);
    EXPECT_FALSE(at::equal(probabilities(model_->step(*again, inputs(3, 0, config()))),
                           probabilities(before)));
  };
  {
    c10::NoGradGuard no_grad;
    model_->parameters().flat().mul_(1.5);
  }
  check();
  {
    c10::NoGradGuard no_grad;
    model_->parameters().tensors().back().add_(0.25);  // a view of them
  }
  check();
  auto* data = model_->parameters().flat().mutable_data_ptr<float>();
  for (int64_t i = 0; i < model_->parameters().numel(); ++i) data[i] *= 0.75F;
  written(model_->parameters().flat());
  check();
}

// Keys, values and hidden states are of the weights that a state began with, so it can't go on with
// others, by kernels or by composed operations.
TEST_P(KernelDecoderOf, RefusesAStateOfEarlierWeights) {
  const data::PackedIds source = sentences(3, config().source_vocabulary);
  const std::vector<int32_t> tokens = inputs(3, 0, config());
  const auto kernels = model_->start(source), composed = model_->start_composed(source);
  const auto before = probabilities(model_->step(*kernels, tokens));
  model_->step(*composed, tokens);
  written(model_->parameters().flat());
  const auto refuses = [&](DecoderState& state) {
    LikeliestTokens likeliest;
    for (const std::string& message :
         {testing::message_of([&] { model_->step(state, tokens); }),
          testing::message_of([&] { model_->step(state, tokens, likeliest); }),
          testing::message_of([&] { model_->step_attention(state, tokens); })})
      EXPECT_THAT(message, ::testing::HasSubstr("written to after start()"));
  };
  const auto again = model_->start(source);  // another decoder; the first one's state keeps its own
  for (DecoderState* state : {kernels.get(), composed.get()}) {
    refuses(*state);
    state->reorder({2, 1, 0});
    refuses(*state->copy());
  }
  EXPECT_TRUE(at::equal(probabilities(model_->step(*again, tokens)), before));
}

TEST_P(KernelDecoderOf, StepsForItsWeightsOnly) {
  const data::PackedIds source = sentences(4, config().source_vocabulary);
  const auto state = model_->start(source), other = model_->start(source);
  for (int64_t step = 0; step < 3; ++step) {
    const std::vector<int32_t> tokens = inputs(4, step, config());
    const auto found = model_->step_attention(*state, tokens);
    const auto expected = model_->step(*other, tokens, true).attention;
    ASSERT_EQ(found.size(), expected.size());
    for (size_t l = 0; l < found.size(); ++l)
      EXPECT_TRUE(at::equal(found[l].weights, expected[l].weights));
  }
}

TEST_P(KernelDecoderOf, RunsOnEveryInstructionSet) {
  const data::PackedIds source = sentences(4, config().source_vocabulary);
  for (const std::string& isa : kernels::supported_isas()) {
    kernels::force_isa(isa);
    const auto kernels = model_->start(source), twin = composed(source);
    for (int64_t step = 0; step < 3; ++step) step_both(*kernels, *twin, step);
  }
  kernels::force_isa("");
}

TEST_P(KernelDecoderOf, ServesManyThreads) {
  const data::PackedIds source = sentences(5, config().source_vocabulary);
  const std::vector<int32_t> tokens = inputs(5, 0, config());
  std::vector<at::Tensor> found(8);
  core::ThreadPool pool(4);
  pool.run(8, [&](int64_t i) {
    found[static_cast<size_t>(i)] = probabilities(model_->step(*model_->start(source), tokens));
  });
  for (const at::Tensor& x : found) EXPECT_TRUE(at::equal(x, found[0]));
}

TEST_P(KernelDecoderOf, RefusesWhatIsNoSentenceOrState) {
  data::PackedIds wrong;
  wrong.append(std::vector<int32_t>{0, static_cast<int32_t>(config().source_vocabulary)});
  EXPECT_THROW(model_->start(wrong), InvalidArgument);
  const auto state = model_->start(sentences(2, config().source_vocabulary));
  EXPECT_THROW(model_->step(*state, {1}), InvalidArgument);
  EXPECT_THROW(model_->step(*state, {1, -1}), InvalidArgument);
  EXPECT_THROW(model_->step(*state, {1, static_cast<int32_t>(config().target_vocabulary)}),
               InvalidArgument);
  EXPECT_THROW(state->reorder({2}), InvalidArgument);
  const auto other = make_model(config(), {.seed = 3});
  EXPECT_THROW(other->step(*state, {1, 1}), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Models, KernelDecoderOf, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(KernelDecoder, SaysWhyItDeclines) {
  const auto declined = [](ModelKind kind, const std::function<void(ModelConfig&)>& change,
                           at::ScalarType dtype = at::kFloat) {
    return make_model(changed(kind, change), {.seed = 1, .dtype = dtype})->decoding_declined();
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(declined(ModelKind::kGru, [](ModelConfig& c) { c.cell = CellKind::kLstm; }),
              HasSubstr("cell"));
  EXPECT_THAT(declined(ModelKind::kBahdanau, [](ModelConfig& c) { c.bidirectional = true; }),
              HasSubstr("bidirectional"));
  EXPECT_THAT(
      declined(ModelKind::kBahdanau, [](ModelConfig& c) { c.score = ScoreKind::kBilinear; }),
      HasSubstr("score"));
  EXPECT_THAT(declined(ModelKind::kTransformer, [](ModelConfig& c) { c.window = 3; }),
              HasSubstr("window"));
  EXPECT_THAT(declined(ModelKind::kGru, [](ModelConfig&) {}, at::kDouble), HasSubstr("float"));
}

}  // namespace
}  // namespace attend
