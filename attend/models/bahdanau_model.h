// The recurrent translator with additive attention (Bahdanau, Cho, Bengio 2015), as the chapter has
// it: one-way encoder; the query is the decoder's top state of the step before; the context joins
// the embedded token at the decoder's input.
#pragma once

#include "attend/models/recurrent_model.h"
#include "attend/ops/attention_gru.h"

namespace attend {

class BahdanauModel : public RecurrentModel {
 public:
  BahdanauModel(const ModelConfig& config, const ParameterStore::Options& options);

  std::unique_ptr<DecoderState> start(
      const data::PackedIds& source,
      std::vector<AttentionWeights>* encoder_attention) const override;
  DecoderStep step(DecoderState& state, const std::vector<int32_t>& tokens,
                   bool want_attention) const override;

 private:
  struct Encoded {
    ops::AttentionMemory memory;
    std::vector<at::Tensor> final;
  };
  Encoded encode(const data::PackedIds& source, const std::vector<int64_t>& first_rows,
                 const ops::DropoutState& dropout) const;
  at::Tensor decode(const data::Batch& batch, const Steps& steps,
                    const ops::DropoutState& dropout) const override;
  ops::AttentionGruWeights attention_weights() const;
  at::Tensor input_gates(const at::Tensor& embedded) const;  // (n, E) -> (n, 3H)

  Linear query_;
  Linear key_;
  Parameter score_;
  uint32_t weight_site_ = 0;
};

}  // namespace attend
