#include "attend/models/recurrent_model.h"

namespace attend {

RecurrentModel::RecurrentModel(const ModelConfig& config)
    : Seq2Seq(config), encoder_(store_.scope("encoder"), config) {}

void RecurrentModel::add_embedding(const ParameterScope& decoder) {
  embedding_ = Embedding(decoder.scope("embedding"),
                         {.vocabulary = config_.target_vocabulary, .width = config_.embedding});
}

void RecurrentModel::add_output(const ParameterScope& decoder) {
  output_ = TargetProjection(decoder, config_, embedding_, config_.hidden);
}

RecurrentModel::Steps RecurrentModel::steps_of(const data::Batch& batch,
                                               const ops::DropoutState& dropout) const {
  Steps steps;
  steps.layout = ops::time_major(batch.target.offsets, device());
  const at::Tensor inputs =
      ops::id_tensor(decoder_inputs(batch.target, config_.begin_id), device());
  steps.embedded = embedding_(inputs.index_select(0, steps.layout.from_packed));  // (N, E)
  if (dropout.active()) steps.row_numbers = ops::row_numbers(steps.layout, batch.target_rows);
  return steps;
}

LossSum RecurrentModel::loss(const data::Batch& batch, const ops::DropoutState& dropout) const {
  const Steps steps = steps_of(batch, dropout);
  const at::Tensor targets = ops::id_tensor(batch.target.ids, device());
  return {output_.loss(decode(batch, steps, dropout),
                       targets.index_select(0, steps.layout.from_packed)),
          batch.target_tokens()};
}

at::Tensor RecurrentModel::logits(const data::Batch& batch) const {
  const Steps steps = steps_of(batch, {});
  return output_.logits(decode(batch, steps, {}).index_select(0, steps.layout.to_packed));
}

}  // namespace attend
