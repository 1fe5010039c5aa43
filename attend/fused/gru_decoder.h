// Decoding with the recurrent translator without attention.
#pragma once

#include "attend/fused/decoder.h"
#include "attend/fused/gru_translator.h"
#include "attend/fused/next_token.h"

namespace attend::fused {

class GruState;

class GruDecoder : public Decoder {
 public:
  /// `never` as NextToken takes it. `parameters` have to stay.
  GruDecoder(const GruTranslatorPlaces& places, std::vector<int32_t> never,
             const float* parameters);

  std::unique_ptr<State> start(const data::PackedIds& source,
                               std::vector<SeenWeights>* weights) const override;

 private:
  friend class GruState;
  void step(GruState& state, const int32_t* tokens, const DecoderOutput& out) const;

  const float* parameters_;
  Panels<float> panels_;
  GruStack<float> encoder_, decoder_;
  Linear<float> code_;
  NextToken output_;
  mutable WorkspacePool memory_;
};

}  // namespace attend::fused
