// The recurrent decoder with attention, against a loop of plain operations over each sentence
// alone.
#include "attend/ops/attention_gru.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr int64_t kHidden = 3, kMemory = 2, kFeatures = 4, kSource = 4;

// Inputs of one run, all leaves: input gates (sentence-major), values, keys, initial states of two
// layers, then query, score, context and the layers' weights.
std::vector<at::Tensor> leaves(int64_t rows, int64_t sentences) {
  return {leaf({rows, 3 * kHidden}, 1),
          leaf({sentences, kSource, kMemory}, 2),
          leaf({sentences, kSource, kFeatures}, 3),
          leaf({sentences, kHidden}, 4),
          leaf({sentences, kHidden}, 5),
          leaf({kFeatures, kHidden}, 6),
          leaf({kFeatures}, 7),
          leaf({3 * kHidden, kMemory}, 8),
          leaf({3 * kHidden, kHidden}, 9),  // layer 0: hidden weight, biases
          leaf({3 * kHidden}, 10),
          leaf({3 * kHidden, kHidden}, 11),  // layer 1: input and hidden weights, biases
          leaf({3 * kHidden, kHidden}, 12),
          leaf({3 * kHidden}, 13),
          leaf({3 * kHidden}, 14)};
}

AttentionGruWeights weights_of(const std::vector<at::Tensor>& in) {
  return {in[5], in[6], in[7], {{{}, in[8], {}, in[9]}, {in[10], in[11], in[12], in[13]}}};
}

// True where a source is padding; undefined when all lengths are kSource.
at::Tensor hidden_of(const std::vector<int64_t>& lengths) {
  at::Tensor hidden = at::zeros({static_cast<int64_t>(lengths.size()), kSource}, at::kBool);
  bool any = false;
  for (size_t b = 0; b < lengths.size(); ++b)
    for (int64_t s = lengths[b]; s < kSource; ++s) any = true, hidden[b][s] = true;
  return any ? hidden : at::Tensor();
}

struct Setting {
  std::vector<int64_t> offsets;         // of the targets
  std::vector<int64_t> source_lengths;  // a sentence
  AttentionDropout dropout;
  int64_t sentences() const { return static_cast<int64_t>(source_lengths.size()); }
  std::vector<at::Tensor> leaves() const { return ops::leaves(offsets.back(), sentences()); }
};

// (N, H), sentence-major.
at::Tensor whole_batch(const Setting& run, const std::vector<at::Tensor>& in,
                       decltype(attention_gru)* op) {
  const TimeMajor layout = time_major(run.offsets, at::kCPU);
  const auto ordered = [&](const at::Tensor& x) { return x.index_select(0, layout.order_tensor); };
  const at::Tensor hidden = hidden_of(run.source_lengths);
  const AttentionMemory memory{ordered(in[1]), ordered(in[2]),
                               hidden.defined() ? ordered(hidden) : hidden};
  return op(in[0].index_select(0, layout.from_packed), layout, memory,
            {ordered(in[3]), ordered(in[4])}, weights_of(in), run.dropout)
      .index_select(0, layout.to_packed);
}

at::Tensor fused(const Setting& run, const std::vector<at::Tensor>& in) {
  return whole_batch(run, in, attention_gru);
}

at::Tensor composed(const Setting& run, const std::vector<at::Tensor>& in) {
  return whole_batch(run, in, attention_gru_composed);
}

at::Tensor gru_by_formula(const at::Tensor& gates, const at::Tensor& hidden_gates,
                          const at::Tensor& h) {
  const auto x = gates.split(kHidden, 1), y = hidden_gates.split(kHidden, 1);
  const at::Tensor r = (x[0] + y[0]).sigmoid(), z = (x[1] + y[1]).sigmoid();
  const at::Tensor n = (x[2] + r * y[2]).tanh();
  return (1 - z) * n + z * h;
}

// x times dropout's multiplier for one row of the batch; its columns are counted from the first.
at::Tensor dropped(const at::Tensor& x, const Setting& setting, uint32_t site, int64_t row) {
  if (!setting.dropout.state.active()) return x;
  return x * dropout_mask(setting.dropout.state, site, {row}, x.size(1), at::kDouble);
}

// The formula at the head of attention_gru.h, sentence by sentence, without padding. Rows are
// numbered by their place in the batch.
at::Tensor by_formula(const Setting& run, const std::vector<at::Tensor>& in) {
  std::vector<at::Tensor> rows;
  for (int64_t b = 0; b < run.sentences(); ++b) {
    const auto at = static_cast<size_t>(b);
    const at::Tensor values = in[1][b].narrow(0, 0, run.source_lengths[at]);  // (S, M)
    const at::Tensor keys = in[2][b].narrow(0, 0, run.source_lengths[at]);
    at::Tensor low = in[3].narrow(0, b, 1), top = in[4].narrow(0, b, 1);
    for (int64_t row = run.offsets[at]; row < run.offsets[at + 1]; ++row) {
      const at::Tensor scores = (keys + top.matmul(in[5].t())).tanh().matmul(in[6]);
      const at::Tensor weights = scores.softmax(0).unsqueeze(0);  // (1, S)
      const at::Tensor context =
          dropped(weights, run, run.dropout.weight_site, row).matmul(values);  // (1, M)
      low = gru_by_formula(in[0].narrow(0, row, 1) + context.matmul(in[7].t()),
                           at::linear(low, in[8], in[9]), low);
      const at::Tensor below =
          run.dropout.state.active() ? dropped(low, run, run.dropout.layer_sites[1], row) : low;
      top = gru_by_formula(at::linear(below, in[10], in[12]), at::linear(top, in[11], in[13]), top);
      rows.push_back(top);
    }
  }
  return at::cat(rows);
}

const Setting kRagged{{0, 1, 4, 4, 6}, {4, 2, 3, 0}, {}};
const Setting kEven{{0, 2, 4}, {4, 4}, {}};

Setting with_dropout(const std::vector<int64_t>& rows) {
  Setting run = kRagged;
  run.dropout = {{.probability = 0.4, .seed = 5, .step = 2}, 17, {0, 23}, &rows};
  return run;
}

TEST(AttentionGru, AgreesWithItsFormula) {
  const auto rows = row_numbers(time_major(kRagged.offsets, at::kCPU), {0, 1, 4, 4});
  for (const Setting& run : {kRagged, kEven, with_dropout(rows)}) {
    const auto in = run.leaves();
    EXPECT_TRUE(close(fused(run, in), by_formula(run, in)));
    const auto of = [&](auto function) {
      return gradients_of([&](const auto& x) { return function(run, x); }, in);
    };
    const auto actual = of(fused), expected = of(by_formula);
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_TRUE(close(actual[i], expected[i])) << "input " << i;
  }
}

TEST(AttentionGru, GradientsAreThoseOfCentralDifferences) {
  EXPECT_TRUE(check_gradients([](const auto& in) { return fused(kRagged, in); }, kRagged.leaves()));
}

TEST(AttentionGru, GradientsGoThroughDropout) {
  const auto rows = row_numbers(time_major(kRagged.offsets, at::kCPU), {0, 1, 4, 4});
  const Setting run = with_dropout(rows);
  const auto in = run.leaves();
  EXPECT_FALSE(close(fused(run, in), fused(kRagged, in)));
  EXPECT_TRUE(check_gradients([&](const auto& x) { return fused(run, x); }, in));
}

TEST(AttentionGru, AgreesWithItsComposedTwin) {
  const auto rows = row_numbers(time_major(kRagged.offsets, at::kCPU), {0, 1, 4, 4});
  for (const Setting& run : {kRagged, kEven, with_dropout(rows)}) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      std::vector<at::Tensor> in;
      for (const at::Tensor& x : run.leaves())
        in.push_back(x.detach().to(type).clone().set_requires_grad(true));
      EXPECT_TRUE(close(fused(run, in), composed(run, in)));
      const auto of = [&](auto function) {
        return gradients_of([&](const auto& x) { return function(run, x); }, in);
      };
      const auto actual = of(fused), expected = of(composed);
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_TRUE(close(actual[i], expected[i])) << "input " << i;
    }
  }
}

TEST(AttentionGru, DropoutHangsOnRowNumbersAlone) {
  const auto rows = row_numbers(time_major(kRagged.offsets, at::kCPU), {0, 1, 4, 4});
  const auto in = kRagged.leaves();
  const at::Tensor whole = fused(with_dropout(rows), in);
  // Sentence 1 by itself, at its place in the whole batch.
  auto alone = in;
  alone[0] = in[0].narrow(0, 1, 3);
  for (const size_t i : {1, 2, 3, 4}) alone[i] = in[i].narrow(0, 1, 1);
  const std::vector<int64_t> own = {1, 2, 3};
  Setting run = with_dropout(own);
  run.offsets = {0, 3};
  run.source_lengths = {2};
  EXPECT_TRUE(close(fused(run, alone), whole.narrow(0, 1, 3)));
}

TEST(AttentionGru, ItsStepsAreThoseOfTheWhole) {
  const auto in = kEven.leaves();
  const at::Tensor whole = fused(kEven, in).view({2, 2, kHidden});
  const AttentionMemory memory{in[1], in[2], {}};
  std::vector<at::Tensor> states = {in[3], in[4]};
  for (int64_t t = 0; t < 2; ++t) {
    const at::Tensor gates = in[0].view({2, 2, 3 * kHidden}).select(1, t);
    const at::Tensor look = attention_gru_step(gates, memory, states, weights_of(in));
    EXPECT_TRUE(close(states.back(), whole.select(1, t)));
    EXPECT_TRUE(close(look.sum(1), at::zeros({2}, at::kDouble) + 1));
  }
}

TEST(AttentionGru, WeightsOfPaddingAndOfAnEmptySourceAreZero) {
  const auto in = leaves(2, 2);
  const AttentionMemory memory{in[1], in[2], hidden_of({2, 0})};
  std::vector<at::Tensor> states = {in[3], in[4]};
  const at::Tensor look = attention_gru_step(in[0], memory, states, weights_of(in));  // (2, S)
  EXPECT_TRUE(identical(look[0].narrow(0, 2, 2), at::zeros({2}, at::kDouble)));
  EXPECT_NEAR(look[0].sum().item<double>(), 1.0, 1e-12);
  EXPECT_TRUE(identical(look[1], at::zeros({kSource}, at::kDouble)));
  EXPECT_TRUE(all_finite(states.back()));
}

TEST(AttentionGru, WithoutTargetsItGivesNoRows) {
  const auto in = leaves(0, 2);
  EXPECT_TRUE(identical(fused({{0, 0, 0}, {4, 4}, {}}, in), at::zeros({0, kHidden}, at::kDouble)));
}

// As every operation of LibTorch's that reads an input once more in its backward pass.
TEST(AttentionGru, RefusesTheGradientOfWhatWasWrittenToSince) {
  const TimeMajor layout = time_major(kEven.offsets, at::kCPU);
  const auto in = kEven.leaves();
  for (const bool of_keys : {false, true}) {
    at::Tensor values = in[1] * 2, keys = in[2] * 2;
    const at::Tensor loss =
        attention_gru(in[0], layout, {values, keys, {}}, {in[3], in[4]}, weights_of(in), {})
            .square()
            .sum();
    (of_keys ? keys : values).zero_();
    EXPECT_THROW(torch::autograd::grad({loss}, {in[1]}), c10::Error) << of_keys;
  }
}

TEST(AttentionGru, RefusesWhatDoesNotFit) {
  const TimeMajor layout = time_major(kEven.offsets, at::kCPU);
  const auto in = kEven.leaves();
  const AttentionMemory memory{in[1], in[2], {}};
  const std::vector<at::Tensor> initial = {in[3], in[4]};
  const auto run = [&](const at::Tensor& gates, const AttentionMemory& m,
                       const std::vector<at::Tensor>& states,
                       const AttentionDropout& dropout = {}) {
    return message_of([&] { attention_gru(gates, layout, m, states, weights_of(in), dropout); });
  };
  EXPECT_THAT(run(cosines({3, 9}), memory, initial), HasSubstr("(3, 9)"));
  EXPECT_THAT(run(in[0], {in[1].narrow(0, 0, 1), in[2], {}}, initial), HasSubstr("(1, 4, 2)"));
  EXPECT_THAT(run(in[0], {in[1], in[2], cosines({2, kSource})}, initial), HasSubstr("bool"));
  EXPECT_THAT(run(in[0], {in[1], in[2], at::zeros({2, 1}, at::kBool)}, initial),
              HasSubstr("(2, 1)"));
  EXPECT_THAT(run(in[0], memory, {in[3]}), HasSubstr("2 layers"));
  EXPECT_THAT(run(in[0], memory, {in[3], cosines({2, 4})}), HasSubstr("(B, 3)"));
  EXPECT_THAT(run(in[0], memory, initial, {{.probability = 0.5}, 1, {0, 2}, nullptr}),
              HasSubstr("row numbers"));
  std::vector<at::Tensor> few = {in[3]};
  EXPECT_THROW(attention_gru_step(in[0].narrow(0, 0, 2), memory, few, weights_of(in)),
               InvalidArgument);
}

// One thing at a time that kernels would read or write out of bounds.
TEST(AttentionGru, RefusesWeightsAndMemoryThatDoNotFit) {
  const TimeMajor layout = time_major(kEven.offsets, at::kCPU);
  const auto in = kEven.leaves();
  const AttentionMemory memory{in[1], in[2], {}};
  for (const auto op : {attention_gru, attention_gru_composed}) {
    const auto refuses = [&](const AttentionGruWeights& weights, const AttentionMemory& seen,
                             const std::vector<at::Tensor>& initial, const std::string& found) {
      EXPECT_THAT(message_of([&] { op(in[0], layout, seen, initial, weights, {}); }),
                  HasSubstr(found));
    };
    const auto with = [&](size_t layer, at::Tensor RecurrentWeights::* which, const at::Tensor& x,
                          const std::string& found) {
      AttentionGruWeights weights = weights_of(in);
      weights.layers[layer].*which = x;
      refuses(weights, memory, {in[3], in[4]}, found);
    };
    for (const size_t layer : {0, 1}) {
      with(layer, &RecurrentWeights::hidden, cosines({12, 3}), "(12, 3)");
      with(layer, &RecurrentWeights::hidden, cosines({9, 2}), "(9, 2)");
      with(layer, &RecurrentWeights::hidden, cosines({9}), "(9)");
      with(layer, &RecurrentWeights::hidden_bias, cosines({6}), "(6)");
      with(layer, &RecurrentWeights::hidden_bias, cosines({9}, 0, at::kFloat), "Float");
      with(layer, &RecurrentWeights::hidden_bias, {}, "undefined");
    }
    with(1, &RecurrentWeights::input, cosines({9, 4}), "(9, 4)");
    with(1, &RecurrentWeights::input, cosines({6, 3}), "(6, 3)");
    with(1, &RecurrentWeights::input, {}, "undefined");
    with(1, &RecurrentWeights::input_bias, cosines({3}), "(3)");
    const at::Tensor hidden = at::zeros({2, kSource}, at::kBool);
    const auto hides = [&](const at::Tensor& x, const std::string& found) {
      refuses(weights_of(in), {in[1], in[2], x}, {in[3], in[4]}, found);
    };
    hides(hidden.narrow(1, 0, 3), "(2, 3)");
    hides(hidden.narrow(0, 0, 1), "(1, 4)");
    hides(hidden.to(at::kByte), "bool");
    refuses(weights_of(in), memory, {in[3], in[4].to(at::kFloat)}, "Float");
    AttentionGruWeights weights = weights_of(in);
    weights.context = cosines({9});
    refuses(weights, memory, {in[3], in[4]}, "(9)");
    // A layer of another width than the query's.
    weights = {in[5], in[6], in[7], {{{}, cosines({9, 2}), {}, in[9]}}};
    refuses(weights, memory, {cosines({2, 2})}, "(9, 2)");
  }
}

TEST(AttentionGru, RefusesWhatIsNoProbability) {
  const auto rows = row_numbers(time_major(kRagged.offsets, at::kCPU), {0, 1, 4, 4});
  for (const auto op : {attention_gru, attention_gru_composed})
    for (const double p : {1.0, 1.5}) {
      Setting run = with_dropout(rows);
      run.dropout.state.probability = p;
      EXPECT_THAT(message_of([&] { whole_batch(run, run.leaves(), op); }),
                  HasSubstr("probability in [0, 1)"));
    }
}

}  // namespace
}  // namespace attend::ops
