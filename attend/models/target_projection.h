// From hidden states to tokens: the last stage that all three translators share.
#pragma once

#include "attend/data/batch.h"
#include "attend/layers/embedding.h"
#include "attend/models/seq2seq.h"
#include "attend/ops/linear.h"

namespace attend {

/// What the decoder reads: the begin mark, then each sentence without its last token; packed like
/// the target.
std::vector<int32_t> decoder_inputs(const data::PackedIds& target, int32_t begin_id);

class TargetProjection {
 public:
  TargetProjection() = default;
  /// Registers output.weight (V, D) and output.bias (V) under `decoder`; with tied embeddings the
  /// bias alone, the weight being the embedding's.
  TargetProjection(const ParameterScope& decoder, const ModelConfig& config, Embedding embedding,
                   int64_t width);

  /// Summed cross-entropy of hidden rows (N, D) against targets (N) int64.
  at::Tensor loss(const at::Tensor& hidden, const at::Tensor& targets) const;
  at::Tensor logits(const at::Tensor& hidden) const;  ///< (..., V)

  /// For decoding: log-softmax without the padding and begin marks, which are never predicted
  /// (their entries are -infinity).
  at::Tensor log_probabilities(const at::Tensor& hidden) const;

 private:
  const at::Tensor& weight() const;
  Embedding embedding_;
  Parameter weight_;
  Parameter bias_;
  int32_t padding_id_ = 1;
  int32_t begin_id_ = 2;
};

}  // namespace attend
