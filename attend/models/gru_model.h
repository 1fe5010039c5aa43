// Sequence to sequence without attention (Cho et al. 2014; Sutskever et al. 2014): all that the
// decoder knows of the source is where it begins, and one code, the top of that, joined to every
// input. The cell is the configuration's, a GRU unless it says otherwise.
#pragma once

#include "attend/fused/gru_translator.h"
#include "attend/models/recurrent_model.h"

namespace attend {

class GruModel : public RecurrentModel {
 public:
  GruModel(const ModelConfig& config, const ParameterStore::Options& options);

  FusedStep fused_step() const override;

 private:
  std::unique_ptr<DecoderState> begin_composed(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention) const override;
  fused::GruTranslatorPlaces places() const;
  DecoderRecipe decoder_recipe() const override;
  DecoderStep step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                            bool want_attention) const override;
  at::Tensor decode(const data::Batch& batch, const Steps& steps,
                    const ops::DropoutState& dropout) const override;

  Recurrent layers_;
};

}  // namespace attend
