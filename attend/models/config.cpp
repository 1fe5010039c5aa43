#include "attend/models/config.h"

namespace attend {

core::ConfigTable describe(ModelConfig& config) {
  return core::ConfigTable("model", "What is trained")
      .add_choice<ModelKind>(
          "kind", config.kind,
          "gru: encoder and decoder without attention; bahdanau: the same with additive "
          "attention;\ntransformer: attention alone.",
          {{"gru", ModelKind::kGru},
           {"bahdanau", ModelKind::kBahdanau},
           {"transformer", ModelKind::kTransformer}})
      .add(
          "embedding", config.embedding,
          "Width of the token embeddings of gru and bahdanau; the transformer's are `hidden` wide.",
          1, 1 << 16)
      .add("hidden", config.hidden, "Width of the hidden states.", 1, 1 << 16)
      .add("layers", config.layers, "Layers in the encoder, and as many in the decoder.", 1, 256)
      .add("dropout", config.dropout,
           "Share of elements dropped in training: between recurrent layers, on attention weights, "
           "and "
           "around\neach sub-layer of the transformer.",
           0.0, 0.99)
      .add("heads", config.heads, "Attention heads of the transformer; has to divide `hidden`.", 1,
           1 << 12)
      .add("feed_forward", config.feed_forward,
           "Inner width of the transformer's feed-forward networks.", 1, 1 << 20)
      .add("norm_first", config.norm_first,
           "Transformer: normalise before each sub-layer (true) or after adding it (false, as the "
           "paper).")
      .add("attention_bias", config.attention_bias,
           "Transformer: biases in attention's four projections.")
      .add("tied_embeddings", config.tied_embeddings,
           "Use the target embedding as the output projection too; needs embedding = hidden for "
           "gru and "
           "bahdanau.");
}

}  // namespace attend
