#include "attend/models/transformer_model.h"

#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "attend/models/state.h"

namespace attend {
namespace {

class TransformerState : public DecoderState {
 public:
  std::unique_ptr<DecoderState> copy() const override {
    return std::make_unique<TransformerState>(*this);
  }
  void reorder(const std::vector<int64_t>& rows) override {
    const at::Tensor index = state_rows(rows, count, device);
    for (auto& layer : layers)
      for (at::Tensor* cache :
           {&layer.self.keys, &layer.self.values, &layer.memory.keys, &layer.memory.values})
        if (cache->defined()) *cache = cache->index_select(0, index);
    if (real.defined()) real = real.index_select(0, index);
    count = static_cast<int64_t>(rows.size());
  }
  int64_t size() const override { return count; }
  Mask memory_mask() const { return real.defined() ? Mask::keys(real) : Mask::none(); }

  std::vector<DecoderLayerCache> layers;
  at::Tensor real;  // (B, S) bool, or undefined when every source token is
  int64_t count = 0;
  int64_t position = 0;
  at::Device device = at::kCPU;
};

PackedRows packed_rows(const data::PackedIds& ids, const std::vector<int64_t>& first_rows,
                       const ops::DropoutState& dropout, at::Device device) {
  PackedRows rows{ops::packed_layout(ids.offsets, device), {}};
  if (dropout.active()) rows.numbers = ops::row_numbers(ids.offsets, first_rows);
  return rows;
}

std::vector<int64_t> positions_of(const std::vector<int64_t>& offsets) {
  return ops::row_numbers(offsets, std::vector<int64_t>(offsets.size() - 1, 0));
}

at::Tensor plain(const at::Tensor& weights) { return weights.to(at::kCPU, at::kFloat); }

}  // namespace

TransformerModel::TransformerModel(const ModelConfig& config,
                                   const ParameterStore::Options& options)
    : Seq2Seq(config) {
  if (config.heads < 1 || config.hidden % config.heads != 0)
    throw InvalidArgument("[transformer] expected heads that divide hidden, found " +
                          std::to_string(config.heads) + " heads and hidden " +
                          std::to_string(config.hidden));
  const ParameterScope encoder = store_.scope("encoder");
  const ParameterScope decoder = store_.scope("decoder");
  source_embedding_ = Embedding(encoder.scope("embedding"),
                                {.vocabulary = config.source_vocabulary, .width = config.hidden});
  for (int64_t l = 0; l < config.layers; ++l)
    encoder_.emplace_back(encoder.scope("layers." + std::to_string(l)), config);
  target_embedding_ =
      Embedding(decoder.scope("embedding"),
                {.vocabulary = config.target_vocabulary,
                 .width = config.hidden,
                 .init = config.tied_embeddings ? Init::kNormalFanIn : Init::kNormal});
  for (int64_t l = 0; l < config.layers; ++l)
    decoder_.emplace_back(decoder.scope("layers." + std::to_string(l)), config);
  if (config.norm_first) {
    encoder_norm_ = LayerNorm(encoder.scope("norm"), {.width = config.hidden});
    decoder_norm_ = LayerNorm(decoder.scope("norm"), {.width = config.hidden});
  }
  output_ = TargetProjection(decoder, config, target_embedding_, config.hidden);
  source_site_ = encoder.site("embedded");
  target_site_ = decoder.site("embedded");
  store_.allocate(options);
  positions_ = PositionTable(config.hidden, {},
                             at::TensorOptions().device(options.device).dtype(options.dtype));
}

at::Tensor TransformerModel::embed(const Embedding& table, const std::vector<int32_t>& ids,
                                   const PackedRows& rows, const ops::DropoutState& dropout,
                                   uint32_t site) const {
  const at::Device device = table.weight().device();
  const at::Tensor positions =
      positions_.rows(0, rows.layout.longest)
          .index_select(0, ops::index_tensor(positions_of(rows.layout.offsets), device));
  const double scale = std::sqrt(static_cast<double>(config_.hidden));
  return ops::dropout(table(ops::id_tensor(ids, device)) * scale + positions, dropout, site,
                      rows.numbers);  // (N, D)
}

at::Tensor TransformerModel::encode(const std::vector<int32_t>& ids, const PackedRows& rows,
                                    const ops::DropoutState& dropout,
                                    std::vector<AttentionWeights>* attention) const {
  at::Tensor x = embed(source_embedding_, ids, rows, dropout, source_site_);
  for (size_t l = 0; l < encoder_.size(); ++l) {
    at::Tensor weights;
    x = encoder_[l](x, rows, dropout, attention == nullptr ? nullptr : &weights);
    if (attention != nullptr)
      attention->push_back({AttentionKind::kEncoderSelf, static_cast<int64_t>(l), plain(weights)});
  }
  return config_.norm_first ? encoder_norm_(x) : x;
}

at::Tensor TransformerModel::decode(const data::Batch& batch,
                                    const ops::DropoutState& dropout) const {
  const at::Device device = target_embedding_.weight().device();
  const PackedRows source = packed_rows(batch.source, batch.source_rows, dropout, device);
  const PackedRows target = packed_rows(batch.target, batch.target_rows, dropout, device);
  const at::Tensor memory = encode(batch.source.ids, source, dropout, nullptr);
  at::Tensor x = embed(target_embedding_, decoder_inputs(batch.target, config_.begin_id), target,
                       dropout, target_site_);
  for (const DecoderLayer& layer : decoder_) x = layer(x, target, memory, source.layout, dropout);
  return config_.norm_first ? decoder_norm_(x) : x;
}

LossSum TransformerModel::loss(const data::Batch& batch, const ops::DropoutState& dropout) const {
  const at::Tensor targets = ops::id_tensor(batch.target.ids, target_embedding_.weight().device());
  return {output_.loss(decode(batch, dropout), targets), batch.target_tokens()};
}

at::Tensor TransformerModel::logits(const data::Batch& batch) const {
  return output_.logits(decode(batch, {}));
}

std::unique_ptr<DecoderState> TransformerModel::start(
    const data::PackedIds& source, std::vector<AttentionWeights>* encoder_attention) const {
  c10::NoGradGuard no_grad;
  auto state = std::make_unique<TransformerState>();
  state->device = source_embedding_.weight().device();
  state->count = source.size();
  const PackedRows rows = packed_rows(source, {}, {}, state->device);
  const at::Tensor memory =
      ops::pad(encode(source.ids, rows, {}, encoder_attention), rows.layout);  // (B, S, D)
  for (const DecoderLayer& layer : decoder_) state->layers.push_back(layer.begin(memory));
  if (!rows.layout.even) state->real = rows.layout.real;
  return state;
}

DecoderStep TransformerModel::step(DecoderState& state, const std::vector<int32_t>& tokens,
                                   bool want_attention) const {
  c10::NoGradGuard no_grad;
  auto& s = state_as<TransformerState>(state, tokens, "transformer");
  const double scale = std::sqrt(static_cast<double>(config_.hidden));
  at::Tensor x = target_embedding_(ops::id_tensor(tokens, s.device)) * scale +
                 positions_.rows(s.position, 1);  // (B, D)
  const Mask memory_mask = s.memory_mask();
  DecoderStep result;
  for (size_t l = 0; l < decoder_.size(); ++l) {
    at::Tensor self, cross;
    x = decoder_[l].step(x, s.layers[l], memory_mask, want_attention ? &self : nullptr,
                         want_attention ? &cross : nullptr);
    if (!want_attention) continue;
    const auto layer = static_cast<int64_t>(l);
    result.attention.push_back({AttentionKind::kDecoderSelf, layer, plain(self)});
    result.attention.push_back({AttentionKind::kCross, layer, plain(cross)});
  }
  ++s.position;
  result.log_probabilities =
      output_.log_probabilities(config_.norm_first ? decoder_norm_(x) : x);  // (B, V)
  return result;
}

}  // namespace attend
