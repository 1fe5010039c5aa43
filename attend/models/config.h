// The [model] table, and what a model has to know besides it.
#pragma once

#include <cstdint>

#include "attend/core/config.h"

namespace attend {

enum class ModelKind { kGru, kBahdanau, kTransformer };

struct ModelConfig {
  ModelKind kind = ModelKind::kBahdanau;
  int64_t embedding =
      32;               ///< width of the embeddings (recurrent models; the Transformer uses hidden)
  int64_t hidden = 32;  ///< D
  int64_t layers = 2;   ///< in the encoder and in the decoder, each
  double dropout = 0.1;          ///< [0, 1)
  int64_t heads = 4;             ///< Transformer
  int64_t feed_forward = 64;     ///< Transformer: inner width
  bool norm_first = false;       ///< Transformer: pre-norm instead of post-norm
  bool attention_bias = false;   ///< Transformer: biases in attention's projections
  bool tied_embeddings = false;  ///< one matrix for target embedding and output projection

  // Not in the table: they come from the vocabularies and from [data].
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int32_t begin_id = 2;
  int32_t padding_id = 1;  ///< never predicted
};

/// The [model] table over `config`.
core::ConfigTable describe(ModelConfig& config);

}  // namespace attend
