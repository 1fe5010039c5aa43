// The Transformer encoder-decoder (Vaswani et al. 2017) in the variations that ModelConfig names.
#pragma once

#include "attend/layers/learned_positions.h"
#include "attend/layers/norm.h"
#include "attend/layers/sinusoidal.h"
#include "attend/models/target_projection.h"
#include "attend/models/transformer_layers.h"

namespace attend {

class TransformerModel : public Seq2Seq {
 public:
  /// Throws InvalidArgument for options that don't fit together, naming the key.
  TransformerModel(const ModelConfig& config, const ParameterStore::Options& options);

  LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const override;
  at::Tensor logits(const data::Batch& batch) const override;
  FusedStep fused_step() const override;

 private:
  std::unique_ptr<DecoderState> begin_composed(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention) const override;
  DecoderRecipe decoder_recipe() const override;
  DecoderStep step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                            bool want_attention) const override;
  // One side's way from ids to rows.
  struct Entrance {
    Embedding table;
    LearnedPositions learned;
    uint32_t site = 0;
  };
  // Rows to be added to embeddings, (count, D); undefined where positions act elsewhere.
  at::Tensor positions(const Entrance& side, int64_t first, int64_t count) const;
  at::Tensor embed(const Entrance& side, const std::vector<int32_t>& ids, const PackedRows& rows,
                   const ops::DropoutState& dropout) const;
  at::Tensor encode(const std::vector<int32_t>& ids, const PackedRows& rows,
                    const ops::DropoutState& dropout,
                    std::vector<AttentionWeights>* attention) const;                    // (N, D)
  at::Tensor decode(const data::Batch& batch, const ops::DropoutState& dropout) const;  // (N, D)

  Entrance source_;
  Entrance target_;
  PositionTable sinusoids_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  Norm encoder_norm_;  // pre-norm only
  Norm decoder_norm_;
  TargetProjection output_;
};

}  // namespace attend
