#include "attend/layers/attention_decoder.h"

#include <ATen/ops/linear.h>

#include <optional>

#include "attend/attention/score.h"
#include "attend/ops/attention_gru.h"
#include "attend/ops/linear.h"
#include "attend/ops/normalise.h"
#include "attend/ops/packed.h"

namespace attend {
namespace {

// What every decoder here has: a stack of layers whose input is [context, x].
class RecurrentDecoder : public AttentionDecoder {
 public:
  RecurrentDecoder(const ParameterScope& attention, const Options& options)
      : options_(options), weight_site_(attention.site("weights")) {}

 protected:
  void add_layers(const ParameterScope& scope) {
    layers_ = Recurrent(scope.scope(cell_name(options_.cell)),
                        {.cell = options_.cell,
                         .inputs = options_.memory + options_.inputs,
                         .hidden = options_.hidden,
                         .layers = options_.layers});
  }

  // Layer 0's products for x, (n, E) -> (n, G H).
  at::Tensor input_gates(const at::Tensor& x) const {
    const ops::RecurrentWeights first = layers_.weights(0);
    return at::linear(x, first.input.narrow(1, options_.memory, options_.inputs), first.input_bias);
  }

  // The columns of layer 0's input weight that meet the context, (G H, M).
  at::Tensor context_weight() const {
    return layers_.weights(0).input.narrow(1, 0, options_.memory);
  }

  std::vector<ops::RecurrentWeights> layer_weights() const {
    std::vector<ops::RecurrentWeights> weights;
    for (int64_t l = 0; l < layers_.layers(); ++l) weights.push_back(layers_.weights(l));
    return weights;
  }

  ops::AttentionDropout sites(const ops::DropoutState& dropout,
                              const std::vector<int64_t>& row_numbers) const {
    ops::AttentionDropout sites{dropout, weight_site_, {}, &row_numbers};
    for (int64_t l = 0; l < layers_.layers(); ++l) sites.layer_sites.push_back(layers_.site(l));
    return sites;
  }

  Options options_;
  uint32_t weight_site_;
  Recurrent layers_;
};

// GRU, additive score, softmax: the case with a gradient of its own.
class AdditiveGruDecoder : public RecurrentDecoder {
 public:
  AdditiveGruDecoder(const ParameterScope& scope, const ParameterScope& attention,
                     const Options& options)
      : RecurrentDecoder(attention, options),
        query_(attention.scope("query"),
               {.inputs = options.hidden, .outputs = options.hidden, .bias = false}),
        key_(attention.scope("key"),
             {.inputs = options.memory, .outputs = options.hidden, .bias = false}),
        score_(attention.scope("score").add("weight", {options.hidden}, Init::kXavierUniform)) {
    add_layers(scope);
  }

  Step step(const at::Tensor& x, const State& state) const override {
    Step result{{}, state, {}};
    std::vector<at::Tensor> hidden = hidden_of(state);
    result.weights = ops::attention_gru_step(input_gates(x), state.memory, hidden, weights());
    for (size_t l = 0; l < hidden.size(); ++l) result.state.cells[l].hidden = hidden[l];
    result.output = hidden.back();
    return result;
  }

  at::Tensor forward(const at::Tensor& x, const ops::TimeMajor& layout, const State& initial,
                     const ops::DropoutState& dropout,
                     const std::vector<int64_t>& row_numbers) const override {
    return ops::attention_gru(input_gates(x), layout, initial.memory, hidden_of(initial), weights(),
                              sites(dropout, row_numbers));
  }

 protected:
  at::Tensor project_keys(const at::Tensor& rows) const override { return key_(rows); }

 private:
  ops::AttentionGruWeights weights() const {
    return {query_.weight(), *score_, context_weight(), layer_weights()};
  }

  static std::vector<at::Tensor> hidden_of(const State& state) {
    std::vector<at::Tensor> hidden;
    for (const ops::CellState& cell : state.cells) hidden.push_back(cell.hidden);
    return hidden;
  }

  Linear query_;
  Linear key_;
  Parameter score_;
};

// Whether a score compares vectors of one width alone.
bool wants_one_width(ScoreKind score) {
  return score != ScoreKind::kAdditive && score != ScoreKind::kBilinear;
}

// Any cell, score and normaliser.
class AnyDecoder : public RecurrentDecoder {
 public:
  AnyDecoder(const ParameterScope& scope, const ParameterScope& attention, const Options& options)
      : RecurrentDecoder(attention, options) {
    int64_t key_size = options.memory;
    if (wants_one_width(options.score) && key_size != options.hidden) {
      key_ = Linear(attention.scope("key"),
                    {.inputs = options.memory, .outputs = options.hidden, .bias = false});
      key_size = options.hidden;
    }
    score_ =
        make_score(options.score, attention, {.query_size = options.hidden, .key_size = key_size});
    add_layers(scope);
  }

  Step step(const at::Tensor& x, const State& state) const override {
    Step result{{}, state, {}};
    result.weights = ops::attention_recurrence_step(input_gates(x), state.memory,
                                                    result.state.cells, recurrence());
    result.output = result.state.cells.back().hidden;
    return result;
  }

  at::Tensor forward(const at::Tensor& x, const ops::TimeMajor& layout, const State& initial,
                     const ops::DropoutState& dropout,
                     const std::vector<int64_t>& row_numbers) const override {
    return ops::attention_recurrence(input_gates(x), layout, initial.memory, initial.cells,
                                     recurrence(), sites(dropout, row_numbers));
  }

 protected:
  at::Tensor project_keys(const at::Tensor& rows) const override {
    return score_->project_keys((key_ ? (*key_)(rows) : rows).unsqueeze(0)).squeeze(0);  // (N, A)
  }

 private:
  ops::AttentionRecurrence recurrence() const {
    const auto weigh = [this](const at::Tensor& top, const ops::AttentionMemory& memory) {
      const at::Tensor scores = score_->scores(top.unsqueeze(1), memory.keys);  // (n, 1, S)
      return ops::normalise(scores.squeeze(1), memory.hidden, options_.normaliser);
    };
    const auto cell = [kind = options_.cell](const at::Tensor& input_gates,
                                             const at::Tensor& hidden_gates,
                                             const ops::CellState& state) {
      return cell_step(kind, input_gates, hidden_gates, state);
    };
    return {weigh, cell, context_weight(), layer_weights()};
  }

  std::optional<Linear> key_;
  std::unique_ptr<const Score> score_;
};

}  // namespace

AttentionDecoder::State AttentionDecoder::State::select(const at::Tensor& index) const {
  const auto part = [&](const at::Tensor& x) { return x.defined() ? x.index_select(0, index) : x; };
  return {{part(memory.values), part(memory.keys), part(memory.hidden)}, select_rows(cells, index)};
}

AttentionDecoder::State AttentionDecoder::init_state(const EncoderOutputs& encoder,
                                                     const std::vector<int64_t>& lengths) const {
  std::vector<int64_t> offsets = {0};
  for (const int64_t length : lengths) offsets.push_back(offsets.back() + length);
  const ops::PackedLayout layout = ops::packed_layout(std::move(offsets), encoder.rows.device());
  State state;
  state.memory.values = ops::pad(encoder.rows, layout);              // (B, S, M)
  state.memory.keys = ops::pad(project_keys(encoder.rows), layout);  // (B, S, A)
  if (!layout.even) state.memory.hidden = layout.real.logical_not();
  state.cells = encoder.final;
  return state;
}

std::unique_ptr<AttentionDecoder> make_attention_decoder(const ParameterScope& scope,
                                                         const AttentionDecoder::Options& options) {
  const ParameterScope attention = scope.scope("attention");
  if (options.cell == CellKind::kGru && options.score == ScoreKind::kAdditive &&
      options.normaliser == Normaliser::kSoftmax)
    return std::make_unique<AdditiveGruDecoder>(scope, attention, options);
  return std::make_unique<AnyDecoder>(scope, attention, options);
}

}  // namespace attend
