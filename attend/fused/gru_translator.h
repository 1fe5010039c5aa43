// The training step of the recurrent translator without attention: GRU layers, one way.
#pragma once

#include "attend/fused/cross_entropy.h"
#include "attend/fused/gru_stack.h"
#include "attend/fused/program.h"
#include "attend/fused/recurrent_batch.h"

namespace attend::fused {

/// Where the model's parameters lie.
struct GruTranslatorPlaces {
  WeightPlace source_embedding, target_embedding;
  std::vector<GruPlaces> encoder;
  std::vector<GruPlaces> decoder;  ///< layer 0 reads [embedding, code]
  WeightPlace output;
  int64_t output_bias = 0;
  bool tied = false;  ///< `output` is the target embedding
  int32_t begin_id = 2;
};

/// Of the decoder's first input weight, the columns that meet the code: those behind the
/// embedding's.
WeightPlace code_columns(const GruTranslatorPlaces& places);

struct GruTranslatorShard {
  Workspace work;
  RecurrentBatch batch;
};

template <class T>
class GruTranslator : public ShardedProgram<T, GruTranslatorShard> {
 public:
  explicit GruTranslator(const GruTranslatorPlaces& places);

  double run(int64_t shard, const data::Batch& batch, const core::DropoutState& dropout,
             T* gradients) override;

 private:
  GruStack<T> encoder_, decoder_;
  Linear<T> code_;  // of layer 0's input weight, the columns that meet the code
  Linear<T> output_;
  int32_t begin_id_;
};

extern template class GruTranslator<float>;
extern template class GruTranslator<double>;

}  // namespace attend::fused
