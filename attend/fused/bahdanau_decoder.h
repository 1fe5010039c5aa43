// Decoding with the recurrent translator with additive attention.
#pragma once

#include "attend/fused/bahdanau_translator.h"
#include "attend/fused/decoder.h"
#include "attend/fused/next_token.h"

namespace attend::fused {

class BahdanauState;

class BahdanauDecoder : public Decoder {
 public:
  /// `never` as NextToken takes it. `parameters` have to stay.
  BahdanauDecoder(const BahdanauTranslatorPlaces& places, std::vector<int32_t> never,
                  const float* parameters);

  std::unique_ptr<State> start(const data::PackedIds& source,
                               std::vector<SeenWeights>* weights) const override;

 private:
  friend class BahdanauState;
  void step(BahdanauState& state, const int32_t* tokens, const DecoderOutput& out) const;

  const float* parameters_;
  Panels<float> panels_;
  GruStack<float> encoder_;
  Linear<float> key_;
  TokenGates<float> token_;
  AttentionGru<float> decoder_;
  NextToken output_;
  mutable WorkspacePool memory_;
};

}  // namespace attend::fused
