#include "attend/models/transformer_layers.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

namespace attend {
namespace {

ResidualNorm residual_norm(const ParameterScope& scope, const ModelConfig& config) {
  return ResidualNorm(scope,
                      {.width = config.hidden, .kind = config.norm, .first = config.norm_first});
}

FeedForward feed_forward(const ParameterScope& scope, const ModelConfig& config) {
  return FeedForward(
      scope.scope("feed_forward"),
      {.width = config.hidden, .inner = config.feed_forward, .activation = config.activation});
}

}  // namespace

MultiHeadAttention::Options attention_options(const ModelConfig& config, AttentionPlace place) {
  MultiHeadAttention::Options options{.query_size = config.hidden,
                                      .heads = config.heads,
                                      .key_value_heads = config.key_value_heads,
                                      .bias = config.attention_bias,
                                      .score = config.score.value_or(ScoreKind::kScaledDot),
                                      .normaliser = config.normaliser};
  if (place == AttentionPlace::kCross) return options;
  options.linear = config.linear_attention;
  options.window = config.window;
  options.positions = config.positions;
  options.t5.bidirectional = place == AttentionPlace::kEncoder;
  return options;
}

AttentionBlock::AttentionBlock(const ParameterScope& scope, const ModelConfig& config,
                               AttentionPlace place)
    : attention_(scope, attention_options(config, place)),
      causal_(place == AttentionPlace::kDecoder),
      site_(scope.site("weights")) {}

ops::PackedAttentionOptions AttentionBlock::packed_options(const PackedRows& rows,
                                                           const ops::DropoutState& dropout,
                                                           at::Tensor* weights) const {
  return {.heads = attention_.heads(),
          .causal = causal_,
          .dropout = dropout,
          .site = site_,
          .row_numbers = &rows.numbers,
          .weights = weights};
}

at::Tensor AttentionBlock::self(const at::Tensor& x, const PackedRows& rows,
                                const ops::DropoutState& dropout, at::Tensor* weights) const {
  if (!attention_.plain()) return padded(x, rows, x, rows.layout, dropout, weights);
  // One product for all three projections.
  const Linear &query = attention_.query(), &key = attention_.key(), &value = attention_.value();
  const at::Tensor weight = at::cat({query.weight(), key.weight(), value.weight()});  // (3D, D)
  const at::Tensor all =
      query.bias().defined()
          ? at::linear(x, weight, at::cat({query.bias(), key.bias(), value.bias()}))
          : at::linear(x, weight);
  const std::vector<at::Tensor> parts = all.split(x.size(1), 1);  // three of (N, D)
  return attention_.output()(ops::packed_attention(parts[0], parts[1], parts[2], rows.layout,
                                                   rows.layout,
                                                   packed_options(rows, dropout, weights)));
}

at::Tensor AttentionBlock::cross(const at::Tensor& x, const PackedRows& rows,
                                 const at::Tensor& memory, const ops::PackedLayout& memory_layout,
                                 const ops::DropoutState& dropout, at::Tensor* weights) const {
  if (!attention_.plain()) return padded(x, rows, memory, memory_layout, dropout, weights);
  return attention_.output()(ops::packed_attention(
      attention_.query()(x), attention_.key()(memory), attention_.value()(memory), rows.layout,
      memory_layout, packed_options(rows, dropout, weights)));
}

at::Tensor AttentionBlock::padded(const at::Tensor& queries, const PackedRows& rows,
                                  const at::Tensor& keys, const ops::PackedLayout& key_layout,
                                  const ops::DropoutState& dropout, at::Tensor* weights) const {
  const at::Tensor memory = ops::pad(keys, key_layout);  // (B, Tk, D)
  ops::AttentionOptions options{
      .return_weights = weights != nullptr, .dropout = dropout, .site = site_};
  if (dropout.active()) options.rows = ops::sentence_numbers(rows.numbers, rows.layout);
  const ops::AttentionResult seen =
      attention_.forward(ops::pad(queries, rows.layout), memory, memory,
                         ops::packed_mask(key_layout, causal_), options);
  if (weights != nullptr) *weights = ops::real_weights(seen.weights, rows.layout);
  return ops::unpad(seen.output, rows.layout);  // (N, D)
}

KeyValueCache AttentionBlock::project_memory(const at::Tensor& memory) const {
  return attention_.project(memory, memory);
}

at::Tensor AttentionBlock::look(const at::Tensor& x, const KeyValueCache& cache, const Mask& mask,
                                at::Tensor* weights) const {
  const ops::AttentionResult seen = attention_.forward_projected(
      x.unsqueeze(1), cache, mask, {.return_weights = weights != nullptr});
  if (weights != nullptr) *weights = seen.weights;
  return seen.output.squeeze(1);  // (B, 1, D) -> (B, D)
}

at::Tensor AttentionBlock::step(const at::Tensor& x, KeyValueCache& cache,
                                at::Tensor* weights) const {
  const ops::AttentionResult seen =
      attention_.step(x.unsqueeze(1), cache, {.return_weights = weights != nullptr});
  if (weights != nullptr) *weights = seen.weights;
  return seen.output.squeeze(1);  // (B, 1, D) -> (B, D)
}

EncoderLayer::EncoderLayer(const ParameterScope& scope, const ModelConfig& config)
    : self_attention_(scope.scope("self_attention"), config, AttentionPlace::kEncoder),
      norm1_(residual_norm(scope.scope("norm1"), config)),
      feed_forward_(feed_forward(scope, config)),
      norm2_(residual_norm(scope.scope("norm2"), config)) {}

at::Tensor EncoderLayer::operator()(const at::Tensor& x, const PackedRows& rows,
                                    const ops::DropoutState& dropout, at::Tensor* weights) const {
  const at::Tensor y = norm1_(
      x, [&](const at::Tensor& in) { return self_attention_.self(in, rows, dropout, weights); },
      dropout, rows.numbers);
  return norm2_(y, [&](const at::Tensor& in) { return feed_forward_(in); }, dropout, rows.numbers);
}

DecoderLayer::DecoderLayer(const ParameterScope& scope, const ModelConfig& config)
    : self_attention_(scope.scope("self_attention"), config, AttentionPlace::kDecoder),
      norm1_(residual_norm(scope.scope("norm1"), config)),
      cross_attention_(scope.scope("cross_attention"), config, AttentionPlace::kCross),
      norm2_(residual_norm(scope.scope("norm2"), config)),
      feed_forward_(feed_forward(scope, config)),
      norm3_(residual_norm(scope.scope("norm3"), config)) {}

at::Tensor DecoderLayer::operator()(const at::Tensor& x, const PackedRows& rows,
                                    const at::Tensor& memory,
                                    const ops::PackedLayout& memory_layout,
                                    const ops::DropoutState& dropout) const {
  const at::Tensor y = norm1_(
      x, [&](const at::Tensor& in) { return self_attention_.self(in, rows, dropout, nullptr); },
      dropout, rows.numbers);
  const at::Tensor z = norm2_(
      y,
      [&](const at::Tensor& in) {
        return cross_attention_.cross(in, rows, memory, memory_layout, dropout, nullptr);
      },
      dropout, rows.numbers);
  return norm3_(z, [&](const at::Tensor& in) { return feed_forward_(in); }, dropout, rows.numbers);
}

DecoderLayerCache DecoderLayer::begin(const at::Tensor& memory) const {
  return {{}, cross_attention_.project_memory(memory)};
}

at::Tensor DecoderLayer::step(const at::Tensor& x, DecoderLayerCache& cache,
                              const Mask& memory_mask, at::Tensor* self_weights,
                              at::Tensor* cross_weights) const {
  const at::Tensor y = norm1_(
      x, [&](const at::Tensor& in) { return self_attention_.step(in, cache.self, self_weights); },
      {}, {});
  const at::Tensor z =
      norm2_(y,
             [&](const at::Tensor& in) {
               return cross_attention_.look(in, cache.memory, memory_mask, cross_weights);
             },
             {}, {});
  return norm3_(z, [&](const at::Tensor& in) { return feed_forward_(in); }, {}, {});
}

}  // namespace attend
