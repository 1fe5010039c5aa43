// The decoder that says where it looked, against cells and formulas in PyTorch, sentence by
// sentence. tests/models goes through every combination.
#include "attend/layers/attention_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

// As in tools/make_layers_goldens.py.
const std::vector<int64_t> kSources = {3, 0, 2};
const std::vector<int64_t> kTargets = {0, 2, 3, 7};  // offsets of lengths 2, 1, 4

struct Case {
  const char* name;
  AttentionDecoder::Options options;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

AttentionDecoder::Options options_of(CellKind cell, ScoreKind score, Normaliser normaliser,
                                     int64_t memory) {
  return {.cell = cell,
          .inputs = 2,
          .hidden = 3,
          .layers = 2,
          .memory = memory,
          .score = score,
          .normaliser = normaliser};
}

class AttentionDecoderTest : public ::testing::TestWithParam<Case> {
 protected:
  AttentionDecoderTest() : decoder_(make_attention_decoder(store_.scope(), GetParam().options)) {
    store_.allocate({.dtype = at::kDouble});
    for (const auto& slot : store_.slots()) set_parameter(store_, slot->name, get(slot->name));
  }

  at::Tensor get(const std::string& name) const {
    static const Goldens golden("layers/attention_decoder.safetensors");
    return golden.get(std::string(GetParam().name) + "." + name);
  }

  // rows, h and, for an LSTM, c.
  EncoderOutputs encoded(const std::vector<at::Tensor>& in) const {
    EncoderOutputs outputs{in[0], {}};
    for (int64_t l = 0; l < 2; ++l)
      outputs.final.push_back({in[1][l], in.size() > 2 ? in[2][l] : at::Tensor()});
    return outputs;
  }

  std::vector<at::Tensor> inputs() const {
    std::vector<at::Tensor> in = {get("rows"), get("initial_h")};
    if (GetParam().options.cell == CellKind::kLstm) in.push_back(get("initial_c"));
    for (at::Tensor& x : in) x.set_requires_grad(true);
    return in;
  }

  ParameterStore store_;
  std::unique_ptr<AttentionDecoder> decoder_;
};

TEST_P(AttentionDecoderTest, AgreesWithPyTorchInOutputsAndGradients) {
  std::vector<at::Tensor> in = inputs();
  const at::Tensor x = get("x").set_requires_grad(true);
  const ops::TimeMajor layout = ops::time_major(kTargets, at::kCPU);
  const AttentionDecoder::State initial = decoder_->init_state(encoded(in), kSources);
  const at::Tensor outputs = decoder_
                                 ->forward(x.index_select(0, layout.from_packed), layout,
                                           initial.select(layout.order_tensor), {}, {})
                                 .index_select(0, layout.to_packed);
  EXPECT_TRUE(close(outputs, get("outputs")));
  std::vector<std::string> names = {"rows", "initial_h"};
  if (in.size() > 2) names.push_back("initial_c");
  in.push_back(x);
  names.push_back("x");
  for (const auto& slot : store_.slots()) {
    in.push_back(slot->value);
    names.push_back(slot->name);
  }
  const auto gradients =
      torch::autograd::grad({(outputs * cosines(outputs.sizes().vec(), 8)).sum()}, in);
  for (size_t i = 0; i < gradients.size(); ++i)
    EXPECT_TRUE(close(gradients[i], get("d_" + names[i]), {1e-9, 1e-10})) << names[i];
}

TEST_P(AttentionDecoderTest, HandsItsWeightsOutStepByStepAndLeavesTheStateAlone) {
  const AttentionDecoder::State first = decoder_->init_state(encoded(inputs()), kSources);
  AttentionDecoder::State state = first;
  const at::Tensor x = get("x"), outputs = get("outputs"), weights = get("weights");
  for (int64_t t = 0; t < 4; ++t) {
    std::vector<at::Tensor> fed;  // sentences that are over read the last row again
    for (size_t b = 0; b < 3; ++b) fed.push_back(x[std::min(kTargets[b] + t, kTargets[b + 1] - 1)]);
    const at::Tensor together = at::cat(fed).view({3, 2});
    const AttentionDecoder::Step step = decoder_->step(together, state);
    for (size_t b = 0; b < 3; ++b) {
      const int64_t row = kTargets[b] + t;
      if (row >= kTargets[b + 1]) continue;
      EXPECT_TRUE(close(step.output[static_cast<int64_t>(b)], outputs[row]));
      EXPECT_TRUE(close(step.weights[static_cast<int64_t>(b)], weights[row]));
    }
    EXPECT_TRUE(identical(decoder_->step(together, state).output, step.output));
    state = step.state;
  }
  EXPECT_EQ(first.size(), 3);
}

TEST_P(AttentionDecoderTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(message_of([&] { decoder_->init_state(encoded(inputs()), {3, 0, 1}); }),
              HasSubstr("(4, D)"));
  const AttentionDecoder::State state = decoder_->init_state(encoded(inputs()), kSources);
  EXPECT_THROW(decoder_->step(cosines({2, 2}), state), InvalidArgument);
  AttentionDecoder::State short_one = state;
  short_one.cells.pop_back();
  EXPECT_THAT(message_of([&] { decoder_->step(cosines({3, 2}), short_one); }),
              HasSubstr("2 layers"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AttentionDecoderTest,
    ::testing::Values(
        Case{"lstm_dot", options_of(CellKind::kLstm, ScoreKind::kDot, Normaliser::kSoftmax, 6)},
        Case{"rnn_gaussian",
             options_of(CellKind::kRnn, ScoreKind::kGaussian, Normaliser::kSparsemax, 3)},
        Case{"gru_cosine", options_of(CellKind::kGru, ScoreKind::kCosine, Normaliser::kNone, 6)}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace attend
