// Sequence to sequence without attention (Cho et al. 2014; Sutskever et al. 2014): all that the
// decoder knows of the source is one code, the encoder's last top state, joined to every input.
#pragma once

#include "attend/models/recurrent_encoder.h"
#include "attend/models/target_projection.h"

namespace attend {

class GruModel : public Seq2Seq {
 public:
  GruModel(const ModelConfig& config, const ParameterStore::Options& options);

  LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const override;
  at::Tensor logits(const data::Batch& batch) const override;
  std::unique_ptr<DecoderState> start(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention) const override;
  DecoderStep step(DecoderState& state, const std::vector<int32_t>& tokens,
                   bool want_attention) const override;

 private:
  at::Tensor decode(const data::Batch& batch, const ops::TimeMajor& layout,
                    const ops::DropoutState& dropout) const;  // (N, H), time-major

  RecurrentEncoder encoder_;
  Embedding embedding_;
  Gru gru_;
  TargetProjection output_;
};

}  // namespace attend
