#include "attend/models/transformer_model.h"

#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "attend/core/errors.h"
#include "attend/models/check_config.h"
#include "attend/models/state.h"
#include "attend/models/transformer_step.h"

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
      for (KeyValueCache* cache : {&layer.self, &layer.memory}) cache->reorder(index);
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

struct EntranceInit {
  Init source, target, positions;
};

// Learned positions begin as large as the embeddings are when they meet, which is after the
// sqrt(D). A tied table is the output projection too, and begins small whatever is chosen.
EntranceInit entrance_init(const ModelConfig& config) {
  switch (config.embedding_init) {
    case EmbeddingInit::kScaled:
      return {Init::kNormalFanIn, Init::kNormalFanIn, Init::kNormal};
    case EmbeddingInit::kChapter:
      return {Init::kNormal, config.tied_embeddings ? Init::kNormalFanIn : Init::kNormal,
              Init::kNormalWide};
    case EmbeddingInit::kXavier:
      return {Init::kXavierUniform, Init::kXavierUniform, Init::kXavierUniform};
  }
  throw InternalError("[model] an unknown embedding_init");
}

}  // namespace

TransformerModel::TransformerModel(const ModelConfig& config,
                                   const ParameterStore::Options& options)
    : Seq2Seq(config) {
  check_config(config);
  const ParameterScope encoder = store_.scope("encoder");
  const ParameterScope decoder = store_.scope("decoder");
  const EntranceInit init = entrance_init(config);
  const auto enter = [&](const ParameterScope& scope, int64_t vocabulary, Init words) {
    Entrance side{Embedding(scope.scope("embedding"),
                            {.vocabulary = vocabulary, .width = config.hidden, .init = words}),
                  {},
                  scope.site("embedded")};
    if (config.positions == PositionKind::kLearned)
      side.learned = LearnedPositions(
          scope.scope("positions"),
          {.length = config.longest, .width = config.hidden, .init = init.positions});
    return side;
  };
  source_ = enter(encoder, config.source_vocabulary, init.source);
  for (int64_t l = 0; l < config.layers; ++l)
    encoder_.emplace_back(encoder.scope("layers." + std::to_string(l)), config);
  target_ = enter(decoder, config.target_vocabulary, init.target);
  for (int64_t l = 0; l < config.layers; ++l)
    decoder_.emplace_back(decoder.scope("layers." + std::to_string(l)), config);
  if (config.norm_first) {
    encoder_norm_ = Norm(encoder.scope("norm"), {.width = config.hidden, .kind = config.norm});
    decoder_norm_ = Norm(decoder.scope("norm"), {.width = config.hidden, .kind = config.norm});
  }
  output_ = TargetProjection(decoder, config, target_.table, config.hidden);
  store_.allocate(options);
  if (config.positions == PositionKind::kSinusoidal)
    sinusoids_ = PositionTable(config.hidden, {},
                               at::TensorOptions().device(options.device).dtype(options.dtype));
}

at::Tensor TransformerModel::positions(const Entrance& side, int64_t first, int64_t count) const {
  if (config_.positions == PositionKind::kSinusoidal) return sinusoids_.rows(first, count);
  return config_.positions == PositionKind::kLearned ? side.learned.rows(first, count)
                                                     : at::Tensor();
}

at::Tensor TransformerModel::embed(const Entrance& side, const std::vector<int32_t>& ids,
                                   const PackedRows& rows, const ops::DropoutState& dropout) const {
  const at::Device device = side.table.weight().device();
  const double scale = std::sqrt(static_cast<double>(config_.hidden));
  at::Tensor x = side.table(ops::id_tensor(ids, device)) * scale;
  const at::Tensor table = positions(side, 0, rows.layout.longest);
  if (table.defined())
    x = x + table.index_select(0, ops::index_tensor(positions_of(rows.layout.offsets), device));
  return ops::dropout(x, dropout, side.site, rows.numbers);  // (N, D)
}

at::Tensor TransformerModel::encode(const std::vector<int32_t>& ids, const PackedRows& rows,
                                    const ops::DropoutState& dropout,
                                    std::vector<AttentionWeights>* attention) const {
  at::Tensor x = embed(source_, ids, rows, dropout);
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
  const at::Device device = target_.table.weight().device();
  const PackedRows source = packed_rows(batch.source, batch.source_rows, dropout, device);
  const PackedRows target = packed_rows(batch.target, batch.target_rows, dropout, device);
  const at::Tensor memory = encode(batch.source.ids, source, dropout, nullptr);
  at::Tensor x = embed(target_, decoder_inputs(batch.target, config_.begin_id), target, dropout);
  for (const DecoderLayer& layer : decoder_) x = layer(x, target, memory, source.layout, dropout);
  return config_.norm_first ? decoder_norm_(x) : x;
}

LossSum TransformerModel::loss(const data::Batch& batch, const ops::DropoutState& dropout) const {
  const at::Tensor targets = ops::id_tensor(batch.target.ids, target_.table.weight().device());
  return {output_.loss(decode(batch, dropout), targets), batch.target_tokens()};
}

at::Tensor TransformerModel::logits(const data::Batch& batch) const {
  return output_.logits(decode(batch, {}));
}

FusedStep TransformerModel::fused_step() const { return transformer_step(config_, store_); }

DecoderRecipe TransformerModel::decoder_recipe() const {
  return transformer_decoder(config_, store_);
}

std::unique_ptr<DecoderState> TransformerModel::begin_composed(
    const data::PackedIds& source, std::vector<AttentionWeights>* encoder_attention) const {
  c10::NoGradGuard no_grad;
  auto state = std::make_unique<TransformerState>();
  state->device = source_.table.weight().device();
  state->count = source.size();
  const PackedRows rows = packed_rows(source, {}, {}, state->device);
  const at::Tensor memory =
      ops::pad(encode(source.ids, rows, {}, encoder_attention), rows.layout);  // (B, S, D)
  for (const DecoderLayer& layer : decoder_) state->layers.push_back(layer.begin(memory));
  if (!rows.layout.even) state->real = rows.layout.real;
  return state;
}

DecoderStep TransformerModel::step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                                            bool want_attention) const {
  c10::NoGradGuard no_grad;
  auto& s = state_as<TransformerState>(state, tokens, "transformer");
  const double scale = std::sqrt(static_cast<double>(config_.hidden));
  at::Tensor x = target_.table(ops::id_tensor(tokens, s.device)) * scale;  // (B, D)
  const at::Tensor position = positions(target_, s.position, 1);
  if (position.defined()) x = x + position;
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
