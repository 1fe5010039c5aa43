#include "attend/models/target_projection.h"

#include <ATen/ops/linear.h>

#include <limits>

#include "attend/core/errors.h"
#include "attend/ops/projected_cross_entropy.h"

namespace attend {

std::vector<int32_t> decoder_inputs(const data::PackedIds& target, int32_t begin_id) {
  std::vector<int32_t> inputs(target.ids.size());
  for (int64_t b = 0; b < target.size(); ++b) {
    const auto first = static_cast<size_t>(target.offsets[static_cast<size_t>(b)]);
    const auto end = static_cast<size_t>(target.offsets[static_cast<size_t>(b) + 1]);
    for (size_t i = first; i < end; ++i) inputs[i] = i == first ? begin_id : target.ids[i - 1];
  }
  return inputs;
}

TargetProjection::TargetProjection(const ParameterScope& decoder, const ModelConfig& config,
                                   Embedding embedding, int64_t width)
    : embedding_(std::move(embedding)), padding_id_(config.padding_id), begin_id_(config.begin_id) {
  const ParameterScope scope = decoder.scope("output");
  if (!config.tied_embeddings)
    weight_ = scope.add("weight", {config.target_vocabulary, width}, Init::kXavierUniform);
  bias_ = scope.add("bias", {config.target_vocabulary}, Init::kZeros);
}

const at::Tensor& TargetProjection::weight() const {
  return weight_ ? *weight_ : embedding_.weight();
}

at::Tensor TargetProjection::loss(const at::Tensor& hidden, const at::Tensor& targets) const {
  return ops::projected_cross_entropy(hidden, weight(), *bias_, targets);
}

at::Tensor TargetProjection::logits(const at::Tensor& hidden) const {
  return at::linear(hidden, weight(), *bias_);
}

at::Tensor TargetProjection::log_probabilities(const at::Tensor& hidden) const {
  at::Tensor scores = logits(hidden);  // (B, V)
  for (const int32_t id : {padding_id_, begin_id_})
    if (id >= 0 && id < scores.size(-1))
      scores.select(-1, id).fill_(-std::numeric_limits<double>::infinity());
  return scores.log_softmax(-1);
}

}  // namespace attend
