// The Transformer encoder-decoder (Vaswani et al. 2017) with sinusoidal positions.
#pragma once

#include "attend/layers/sinusoidal.h"
#include "attend/models/target_projection.h"
#include "attend/models/transformer_layers.h"

namespace attend {

class TransformerModel : public Seq2Seq {
 public:
  /// Throws InvalidArgument when heads do not divide hidden.
  TransformerModel(const ModelConfig& config, const ParameterStore::Options& options);

  LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const override;
  at::Tensor logits(const data::Batch& batch) const override;
  std::unique_ptr<DecoderState> start(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention) const override;
  DecoderStep step(DecoderState& state, const std::vector<int32_t>& tokens,
                   bool want_attention) const override;

 private:
  at::Tensor embed(const Embedding& table, const std::vector<int32_t>& ids, const PackedRows& rows,
                   const ops::DropoutState& dropout, uint32_t site) const;
  at::Tensor encode(const std::vector<int32_t>& ids, const PackedRows& rows,
                    const ops::DropoutState& dropout,
                    std::vector<AttentionWeights>* attention) const;                    // (N, D)
  at::Tensor decode(const data::Batch& batch, const ops::DropoutState& dropout) const;  // (N, D)

  Embedding source_embedding_;
  Embedding target_embedding_;
  PositionTable positions_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  LayerNorm encoder_norm_;  // pre-norm only
  LayerNorm decoder_norm_;
  TargetProjection output_;
  uint32_t source_site_ = 0;
  uint32_t target_site_ = 0;
};

}  // namespace attend
