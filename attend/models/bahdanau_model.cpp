#include "attend/models/bahdanau_model.h"

#include <ATen/ops/linear.h>
#include <c10/core/GradMode.h>

#include "attend/models/state.h"

namespace attend {
namespace {

void select_memory(ops::AttentionMemory& memory, const at::Tensor& index) {
  memory.values = memory.values.index_select(0, index);
  memory.keys = memory.keys.index_select(0, index);
  if (memory.hidden.defined()) memory.hidden = memory.hidden.index_select(0, index);
}

class BahdanauState : public DecoderState {
 public:
  BahdanauState(ops::AttentionMemory memory, std::vector<at::Tensor> hidden)
      : memory(std::move(memory)), hidden(std::move(hidden)) {}
  std::unique_ptr<DecoderState> copy() const override {
    return std::make_unique<BahdanauState>(*this);
  }
  void reorder(const std::vector<int64_t>& rows) override {
    const at::Tensor index = state_rows(rows, size(), memory.values.device());
    select_memory(memory, index);
    select_rows(hidden, index);
  }
  int64_t size() const override { return memory.values.size(0); }

  ops::AttentionMemory memory;
  std::vector<at::Tensor> hidden;  // one (B, H) a layer
};

}  // namespace

BahdanauModel::BahdanauModel(const ModelConfig& config, const ParameterStore::Options& options)
    : RecurrentModel(config) {
  const ParameterScope decoder = store_.scope("decoder");
  const ParameterScope attention = decoder.scope("attention");
  add_embedding(decoder);
  const Linear::Options square{.inputs = config.hidden, .outputs = config.hidden, .bias = false};
  query_ = Linear(attention.scope("query"), square);
  key_ = Linear(attention.scope("key"), square);
  score_ = attention.scope("score").add("weight", {config.hidden}, Init::kXavierUniform);
  weight_site_ = attention.site("weights");
  add_decoder(decoder);
  store_.allocate(options);
}

BahdanauModel::Encoded BahdanauModel::encode(const data::PackedIds& source,
                                             const std::vector<int64_t>& first_rows,
                                             const ops::DropoutState& dropout) const {
  RecurrentEncoder::Output encoded = encoder_.forward(source, first_rows, dropout);
  const ops::PackedLayout layout = ops::packed_layout(source.offsets, encoded.rows.device());
  Encoded result;
  result.memory.values = ops::pad(encoded.rows, layout);      // (B, S, H)
  result.memory.keys = ops::pad(key_(encoded.rows), layout);  // (B, S, A): projected once
  if (!layout.even) result.memory.hidden = layout.real.logical_not();
  result.final = std::move(encoded.final);
  return result;
}

ops::AttentionGruWeights BahdanauModel::attention_weights() const {
  ops::AttentionGruWeights weights;
  weights.query = query_.weight();
  weights.score = *score_;
  for (int64_t l = 0; l < gru_.layers(); ++l) weights.layers.push_back(gru_.weights(l));
  weights.context = weights.layers.front().input.narrow(1, 0, config_.hidden);
  return weights;
}

at::Tensor BahdanauModel::input_gates(const at::Tensor& embedded) const {
  const ops::GruWeights first = gru_.weights(0);
  return at::linear(embedded, first.input.narrow(1, config_.hidden, config_.embedding),
                    first.input_bias);
}

at::Tensor BahdanauModel::decode(const data::Batch& batch, const Steps& steps,
                                 const ops::DropoutState& dropout) const {
  Encoded encoded = encode(batch.source, batch.source_rows, dropout);
  if (!steps.layout.sorted) {
    select_memory(encoded.memory, steps.layout.order_tensor);
    select_rows(encoded.final, steps.layout.order_tensor);
  }
  ops::AttentionGruDropout sites{dropout, weight_site_, {}, &steps.row_numbers};
  for (int64_t l = 0; l < gru_.layers(); ++l) sites.layer_sites.push_back(gru_.site(l));
  return ops::attention_gru(input_gates(steps.embedded), steps.layout, encoded.memory,
                            encoded.final, attention_weights(), sites);
}

std::unique_ptr<DecoderState> BahdanauModel::start(const data::PackedIds& source,
                                                   std::vector<AttentionWeights>*) const {
  c10::NoGradGuard no_grad;
  Encoded encoded = encode(source, {}, {});
  return std::make_unique<BahdanauState>(std::move(encoded.memory), std::move(encoded.final));
}

DecoderStep BahdanauModel::step(DecoderState& state, const std::vector<int32_t>& tokens,
                                bool want_attention) const {
  c10::NoGradGuard no_grad;
  auto& s = state_as<BahdanauState>(state, tokens, "bahdanau");
  const at::Tensor embedded = embedding_(ops::id_tensor(tokens, s.memory.values.device()));
  const at::Tensor weights =
      ops::attention_gru_step(input_gates(embedded), s.memory, s.hidden, attention_weights());
  DecoderStep result{output_.log_probabilities(s.hidden.back()), {}};
  if (want_attention)
    result.attention.push_back(
        {AttentionKind::kCross, 0, weights.to(at::kCPU, at::kFloat).unsqueeze(1).unsqueeze(1)});
  return result;
}

}  // namespace attend
