// The parts of the Transformer (Vaswani et al. 2017, section 3), over packed rows.
#pragma once

#include <functional>
#include <vector>

#include "attend/layers/feed_forward.h"
#include "attend/layers/layer_norm.h"
#include "attend/models/config.h"
#include "attend/ops/dropout.h"
#include "attend/ops/linear.h"
#include "attend/ops/mask.h"
#include "attend/ops/packed_attention.h"

namespace attend {

/// Sentences on one side of a layer: their layout, and their rows' numbers for dropout's counter.
struct PackedRows {
  ops::PackedLayout layout;
  std::vector<int64_t> numbers;
};

/// Add & norm: norm(x + dropout(sublayer(x))), or x + dropout(sublayer(norm(x))) with norm_first.
class ResidualNorm {
 public:
  ResidualNorm() = default;
  ResidualNorm(const ParameterScope& scope, const ModelConfig& config);

  /// x (N, D) -> (N, D)
  at::Tensor operator()(const at::Tensor& x,
                        const std::function<at::Tensor(const at::Tensor&)>& sublayer,
                        const ops::DropoutState& dropout, const std::vector<int64_t>& rows) const;

 private:
  LayerNorm norm_;
  bool norm_first_ = false;
  uint32_t site_ = 0;
};

/// Keys and values of one layer, for decoding: (B, H, Tk, D / H) each.
struct KeyValueCache {
  at::Tensor keys;
  at::Tensor values;
};

/// Multi-head attention's four projections around the packed op.
class AttentionBlock {
 public:
  AttentionBlock() = default;
  /// Registers query, key, value and output, each weight (D, D), with a bias if configured.
  AttentionBlock(const ParameterScope& scope, const ModelConfig& config);

  at::Tensor self(const at::Tensor& x, const PackedRows& rows, bool causal,
                  const ops::DropoutState& dropout, at::Tensor* weights) const;
  at::Tensor cross(const at::Tensor& x, const PackedRows& rows, const at::Tensor& memory,
                   const ops::PackedLayout& memory_layout, const ops::DropoutState& dropout,
                   at::Tensor* weights) const;

  /// Keys and values of padded memory (B, S, D).
  KeyValueCache project_memory(const at::Tensor& memory) const;
  /// One query a sentence, x (B, D), over what the cache holds.
  at::Tensor look(const at::Tensor& x, const KeyValueCache& cache, const Mask& mask,
                  at::Tensor* weights) const;
  /// Adds x's own key and value to the cache, then looks.
  at::Tensor step(const at::Tensor& x, KeyValueCache& cache, at::Tensor* weights) const;

 private:
  at::Tensor heads(const at::Tensor& x) const;  // (B, T, D) -> (B, H, T, D / H)
  Linear query_, key_, value_, output_;
  int64_t heads_ = 1;
  bool bias_ = false;
  uint32_t site_ = 0;
};

class EncoderLayer {
 public:
  EncoderLayer(const ParameterScope& scope, const ModelConfig& config);
  at::Tensor operator()(const at::Tensor& x, const PackedRows& rows,
                        const ops::DropoutState& dropout, at::Tensor* weights) const;

 private:
  AttentionBlock self_attention_;
  ResidualNorm norm1_;
  FeedForward feed_forward_;
  ResidualNorm norm2_;
};

/// What a decoder layer keeps while it decodes step by step.
struct DecoderLayerCache {
  KeyValueCache self;
  KeyValueCache memory;
};

class DecoderLayer {
 public:
  DecoderLayer(const ParameterScope& scope, const ModelConfig& config);

  at::Tensor operator()(const at::Tensor& x, const PackedRows& rows, const at::Tensor& memory,
                        const ops::PackedLayout& memory_layout,
                        const ops::DropoutState& dropout) const;

  DecoderLayerCache begin(const at::Tensor& memory) const;  // (B, S, D)
  /// x (B, D): one token a sentence. `self_weights`, `cross_weights`: (B, H, 1, Tk) if not null.
  at::Tensor step(const at::Tensor& x, DecoderLayerCache& cache, const Mask& memory_mask,
                  at::Tensor* self_weights, at::Tensor* cross_weights) const;

 private:
  AttentionBlock self_attention_;
  ResidualNorm norm1_;
  AttentionBlock cross_attention_;
  ResidualNorm norm2_;
  FeedForward feed_forward_;
  ResidualNorm norm3_;
};

}  // namespace attend
