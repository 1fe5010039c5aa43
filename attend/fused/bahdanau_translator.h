// The training step of the recurrent translator with additive attention: GRU layers, one way.
#pragma once

#include "attend/fused/attention_gru.h"
#include "attend/fused/cross_entropy.h"
#include "attend/fused/program.h"
#include "attend/fused/recurrent_batch.h"

namespace attend::fused {

/// Where the model's parameters lie.
struct BahdanauTranslatorPlaces {
  WeightPlace source_embedding;
  std::vector<GruPlaces> encoder;
  WeightPlace key;  ///< (A, M), over the encoder's top states
  AttentionGruPlaces decoder;
  WeightPlace target_embedding;
  WeightPlace token;       ///< (3H, E): of layer 0's input weight
  int64_t token_bias = 0;  ///< that layer's
  WeightPlace output;
  int64_t output_bias = 0;
  bool tied = false;  ///< `output` is the target embedding
  int32_t begin_id = 2;
};

struct BahdanauTranslatorShard {
  Workspace work;
  RecurrentBatch batch;
  std::vector<int64_t> begins, lengths;  ///< of the sources, in the target's order

  void read(const data::Batch& sentences, int64_t source_vocabulary, int64_t target_vocabulary,
            int32_t begin_id);
};

template <class T>
class BahdanauTranslator : public ShardedProgram<T, BahdanauTranslatorShard> {
 public:
  explicit BahdanauTranslator(const BahdanauTranslatorPlaces& places);

  double run(int64_t shard, const data::Batch& batch, const core::DropoutState& dropout,
             T* gradients) override;

 private:
  GruStack<T> encoder_;
  Linear<T> key_;
  TokenGates<T> token_;
  AttentionGru<T> decoder_;
  Linear<T> output_;
  int32_t begin_id_;
};

extern template class BahdanauTranslator<float>;
extern template class BahdanauTranslator<double>;

}  // namespace attend::fused
