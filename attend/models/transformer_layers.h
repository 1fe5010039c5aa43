// The parts of the Transformer (Vaswani et al. 2017, section 3), over packed rows.
#pragma once

#include <vector>

#include "attend/attention/multi_head.h"
#include "attend/layers/feed_forward.h"
#include "attend/layers/residual_norm.h"
#include "attend/models/config.h"
#include "attend/ops/dropout.h"
#include "attend/ops/mask.h"
#include "attend/ops/packed_attention.h"

namespace attend {

/// Sentences on one side of a layer: their layout, and their rows' numbers for dropout's counter.
struct PackedRows {
  ops::PackedLayout layout;
  std::vector<int64_t> numbers;
};

/// Where an attention stands in the model: positions, windows and linear attention are for
/// self-attention alone.
enum class AttentionPlace { kEncoder, kDecoder, kCross };

/// What a configuration makes of the attention there.
MultiHeadAttention::Options attention_options(const ModelConfig& config, AttentionPlace place);

/// Multi-head attention over packed rows. The paper's kind goes through ops::packed_attention, with
/// one product for the three projections; all others through a padded rectangle.
class AttentionBlock {
 public:
  AttentionBlock() = default;
  /// Registers what MultiHeadAttention does.
  AttentionBlock(const ParameterScope& scope, const ModelConfig& config, AttentionPlace place);

  at::Tensor self(const at::Tensor& x, const PackedRows& rows, const ops::DropoutState& dropout,
                  at::Tensor* weights) const;
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
  at::Tensor padded(const at::Tensor& queries, const PackedRows& rows, const at::Tensor& keys,
                    const ops::PackedLayout& key_layout, const ops::DropoutState& dropout,
                    at::Tensor* weights) const;
  ops::PackedAttentionOptions packed_options(const PackedRows& rows,
                                             const ops::DropoutState& dropout,
                                             at::Tensor* weights) const;

  MultiHeadAttention attention_;
  bool causal_ = false;
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
