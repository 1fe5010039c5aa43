// The recurrent translator with attention (Bahdanau, Cho, Bengio 2015). As the chapter has it, so
// by default: a one-way GRU encoder and the additive score; the query is the decoder's top state of
// the step before; the context joins the embedded token at the decoder's input.
#pragma once

#include <memory>

#include "attend/fused/bahdanau_translator.h"
#include "attend/layers/attention_decoder.h"
#include "attend/models/recurrent_model.h"

namespace attend {

class BahdanauModel : public RecurrentModel {
 public:
  BahdanauModel(const ModelConfig& config, const ParameterStore::Options& options);

  FusedStep fused_step() const override;

 private:
  std::unique_ptr<DecoderState> begin_composed(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention) const override;
  std::string options_declined() const;
  fused::BahdanauTranslatorPlaces places() const;
  DecoderRecipe decoder_recipe() const override;
  DecoderStep step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                            bool want_attention) const override;
  AttentionDecoder::State encode(const data::PackedIds& source,
                                 const std::vector<int64_t>& first_rows,
                                 const ops::DropoutState& dropout) const;
  at::Tensor decode(const data::Batch& batch, const Steps& steps,
                    const ops::DropoutState& dropout) const override;

  std::unique_ptr<AttentionDecoder> decoder_;
};

}  // namespace attend
