// The [model] table, and what a model has to know besides it.
#pragma once

#include <cstdint>
#include <optional>

#include "attend/attention/kinds.h"
#include "attend/core/config.h"
#include "attend/layers/kinds.h"

namespace attend {

enum class ModelKind { kGru, kBahdanau, kTransformer };

struct ModelConfig {
  ModelKind kind = ModelKind::kBahdanau;
  int64_t embedding = 32;  ///< width of the embeddings (recurrent; the Transformer uses hidden)
  int64_t hidden = 32;     ///< D
  int64_t layers = 2;      ///< in the encoder and in the decoder, each
  double dropout = 0.1;    ///< [0, 1)

  // Recurrent models.
  CellKind cell = CellKind::kGru;
  bool bidirectional = false;  ///< the encoder reads both ways

  // Models with attention. No score: the kind's own (additive, scaled dot).
  std::optional<ScoreKind> score;
  Normaliser normaliser = Normaliser::kSoftmax;

  // The Transformer.
  int64_t heads = 4;
  int64_t key_value_heads = 0;  ///< grouped-query attention: divides heads; 0 = heads
  int64_t window = 0;           ///< self-attention sees keys nearer than this; 0 = all
  bool linear_attention = false;
  PositionKind positions = PositionKind::kSinusoidal;
  EmbeddingInit embedding_init = EmbeddingInit::kScaled;
  int64_t feed_forward = 64;  ///< inner width
  Activation activation = Activation::kRelu;
  NormKind norm = NormKind::kLayer;
  bool norm_first = false;       ///< pre-norm instead of post-norm
  bool attention_bias = false;   ///< biases in attention's projections
  bool tied_embeddings = false;  ///< one matrix for target embedding and output projection

  // Not in the table: they come from the vocabularies and from [data].
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t longest = 0;  ///< rows of learned positions: the longest sentence, its mark included
  int32_t begin_id = 2;
  int32_t padding_id = 1;  ///< never predicted
};

/// The [model] table over `config`.
core::ConfigTable describe(ModelConfig& config);

}  // namespace attend
