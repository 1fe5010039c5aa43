// What both recurrent translators share: the encoder, the target as a decoder takes it (packed rows
// in time-major order), and the way from the decoder's states to loss and logits.
#pragma once

#include "attend/models/recurrent_encoder.h"
#include "attend/models/target_projection.h"

namespace attend {

class RecurrentModel : public Seq2Seq {
 public:
  LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const final;
  at::Tensor logits(const data::Batch& batch) const final;

 protected:
  explicit RecurrentModel(const ModelConfig& config);

  /// Registers decoder.embedding, or decoder.output: models register what is between the two.
  void add_embedding(const ParameterScope& decoder);
  void add_output(const ParameterScope& decoder);

  /// A batch as the decoder takes it, step by step.
  struct Steps {
    ops::TimeMajor layout;
    at::Tensor embedded;               ///< (N, E), time-major: what the decoder reads
    std::vector<int64_t> row_numbers;  ///< time-major; empty when dropout is off
  };
  /// Teacher forcing: the top layer's states, (N, H), time-major.
  virtual at::Tensor decode(const data::Batch& batch, const Steps& steps,
                            const ops::DropoutState& dropout) const = 0;

  at::Device device() const { return store_.flat().device(); }

  RecurrentEncoder encoder_;
  Embedding embedding_;
  TargetProjection output_;

 private:
  Steps steps_of(const data::Batch& batch, const ops::DropoutState& dropout) const;
};

}  // namespace attend
