#include "attend/models/transformer_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include "attend/ops/attention.h"

namespace attend {

ResidualNorm::ResidualNorm(const ParameterScope& scope, const ModelConfig& config)
    : norm_(scope, {.width = config.hidden}),
      norm_first_(config.norm_first),
      site_(scope.site("residual")) {}

at::Tensor ResidualNorm::operator()(const at::Tensor& x,
                                    const std::function<at::Tensor(const at::Tensor&)>& sublayer,
                                    const ops::DropoutState& dropout,
                                    const std::vector<int64_t>& rows) const {
  const at::Tensor change =
      ops::dropout(sublayer(norm_first_ ? norm_(x) : x), dropout, site_, rows);
  return norm_first_ ? x + change : norm_(x + change);
}

AttentionBlock::AttentionBlock(const ParameterScope& scope, const ModelConfig& config)
    : heads_(config.heads), bias_(config.attention_bias), site_(scope.site("weights")) {
  const Linear::Options square{
      .inputs = config.hidden, .outputs = config.hidden, .bias = config.attention_bias};
  query_ = Linear(scope.scope("query"), square);
  key_ = Linear(scope.scope("key"), square);
  value_ = Linear(scope.scope("value"), square);
  output_ = Linear(scope.scope("output"), square);
}

at::Tensor AttentionBlock::self(const at::Tensor& x, const PackedRows& rows, bool causal,
                                const ops::DropoutState& dropout, at::Tensor* weights) const {
  // One product for all three projections.
  const at::Tensor weight = at::cat({query_.weight(), key_.weight(), value_.weight()});  // (3D, D)
  const at::Tensor all =
      bias_ ? at::linear(x, weight, at::cat({query_.bias(), key_.bias(), value_.bias()}))
            : at::linear(x, weight);
  const std::vector<at::Tensor> parts = all.split(x.size(1), 1);  // three of (N, D)
  return output_(ops::packed_attention(parts[0], parts[1], parts[2], rows.layout, rows.layout,
                                       {.heads = heads_,
                                        .causal = causal,
                                        .dropout = dropout,
                                        .site = site_,
                                        .row_numbers = &rows.numbers,
                                        .weights = weights}));
}

at::Tensor AttentionBlock::cross(const at::Tensor& x, const PackedRows& rows,
                                 const at::Tensor& memory, const ops::PackedLayout& memory_layout,
                                 const ops::DropoutState& dropout, at::Tensor* weights) const {
  return output_(ops::packed_attention(query_(x), key_(memory), value_(memory), rows.layout,
                                       memory_layout,
                                       {.heads = heads_,
                                        .causal = false,
                                        .dropout = dropout,
                                        .site = site_,
                                        .row_numbers = &rows.numbers,
                                        .weights = weights}));
}

at::Tensor AttentionBlock::heads(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, x.size(2) / heads_}).transpose(1, 2);
}

KeyValueCache AttentionBlock::project_memory(const at::Tensor& memory) const {
  return {heads(key_(memory)), heads(value_(memory))};
}

at::Tensor AttentionBlock::look(const at::Tensor& x, const KeyValueCache& cache, const Mask& mask,
                                at::Tensor* weights) const {
  const at::Tensor query = heads(query_(x).unsqueeze(1));  // (B, H, 1, Dh)
  const ops::AttentionResult seen = ops::scaled_dot_product_attention(
      query, cache.keys, cache.values, mask, {.return_weights = weights != nullptr});
  if (weights != nullptr) *weights = seen.weights;
  return output_(seen.output.reshape({x.size(0), x.size(1)}));  // (B, H, 1, Dh) -> (B, D)
}

at::Tensor AttentionBlock::step(const at::Tensor& x, KeyValueCache& cache,
                                at::Tensor* weights) const {
  const KeyValueCache own = project_memory(x.unsqueeze(1));  // (B, H, 1, Dh)
  cache.keys = cache.keys.defined() ? at::cat({cache.keys, own.keys}, 2) : own.keys;
  cache.values = cache.values.defined() ? at::cat({cache.values, own.values}, 2) : own.values;
  return look(x, cache, Mask::none(), weights);
}

EncoderLayer::EncoderLayer(const ParameterScope& scope, const ModelConfig& config)
    : self_attention_(scope.scope("self_attention"), config),
      norm1_(scope.scope("norm1"), config),
      feed_forward_(scope.scope("feed_forward"),
                    {.width = config.hidden, .inner = config.feed_forward}),
      norm2_(scope.scope("norm2"), config) {}

at::Tensor EncoderLayer::operator()(const at::Tensor& x, const PackedRows& rows,
                                    const ops::DropoutState& dropout, at::Tensor* weights) const {
  const at::Tensor y = norm1_(
      x,
      [&](const at::Tensor& in) { return self_attention_.self(in, rows, false, dropout, weights); },
      dropout, rows.numbers);
  return norm2_(y, [&](const at::Tensor& in) { return feed_forward_(in); }, dropout, rows.numbers);
}

DecoderLayer::DecoderLayer(const ParameterScope& scope, const ModelConfig& config)
    : self_attention_(scope.scope("self_attention"), config),
      norm1_(scope.scope("norm1"), config),
      cross_attention_(scope.scope("cross_attention"), config),
      norm2_(scope.scope("norm2"), config),
      feed_forward_(scope.scope("feed_forward"),
                    {.width = config.hidden, .inner = config.feed_forward}),
      norm3_(scope.scope("norm3"), config) {}

at::Tensor DecoderLayer::operator()(const at::Tensor& x, const PackedRows& rows,
                                    const at::Tensor& memory,
                                    const ops::PackedLayout& memory_layout,
                                    const ops::DropoutState& dropout) const {
  const at::Tensor y = norm1_(
      x,
      [&](const at::Tensor& in) { return self_attention_.self(in, rows, true, dropout, nullptr); },
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
