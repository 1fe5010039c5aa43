#include "attend/models/config.h"

namespace attend {

core::ConfigTable describe(ModelConfig& config) {
  return core::ConfigTable("model", "What is trained")
      .add_choice<ModelKind>(
          "kind", config.kind,
          "gru: recurrent encoder and decoder, of any cell, without attention; bahdanau: the same "
          "with\nattention; transformer: attention alone.",
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
      .add_choice<CellKind>(
          "cell", config.cell, "Recurrent cell of gru and bahdanau, in encoder and decoder.",
          {{"rnn", CellKind::kRnn}, {"lstm", CellKind::kLstm}, {"gru", CellKind::kGru}})
      .add("bidirectional", config.bidirectional,
           "gru and bahdanau: the encoder reads each sentence both ways; its last states reach the "
           "decoder\nthrough a learned map.")
      .add_choice<std::optional<ScoreKind>>(
          "score", config.score,
          "How a query is compared with a key. auto: additive for bahdanau, scaled-dot for the\n"
          "transformer. bilinear: q^T W k. cosine: with a learned scale. gaussian: a learned "
          "width. Behind a\nbidirectional encoder dot, scaled-dot, cosine and gaussian get a "
          "learned map of the keys.",
          {{"auto", std::nullopt},
           {"additive", ScoreKind::kAdditive},
           {"dot", ScoreKind::kDot},
           {"scaled-dot", ScoreKind::kScaledDot},
           {"bilinear", ScoreKind::kBilinear},
           {"cosine", ScoreKind::kCosine},
           {"gaussian", ScoreKind::kGaussian}})
      .add_choice<Normaliser>("normaliser", config.normaliser,
                              "From scores to weights. sparsemax: many weights are exactly zero.",
                              {{"softmax", Normaliser::kSoftmax},
                               {"sparsemax", Normaliser::kSparsemax},
                               {"none", Normaliser::kNone}})
      .add("heads", config.heads, "Attention heads of the transformer; has to divide `hidden`.", 1,
           1 << 12)
      .add("key_value_heads", config.key_value_heads,
           "Transformer: heads of keys and values, each shared by a group of query heads; has to\n"
           "divide `heads`. 1: multi-query attention. 0: as many as heads.",
           0, 1 << 12)
      .add("window", config.window,
           "Transformer: in self-attention a token sees those nearer than this many positions. 0: "
           "all.",
           0, 1 << 30)
      .add(
          "linear_attention", config.linear_attention,
          "Transformer: self-attention at a cost linear in the length (a feature map, no softmax).")
      .add_choice<PositionKind>("positions", config.positions,
                                "Transformer: how it knows where a token stands. sinusoidal and "
                                "learned are added to the\n"
                                "embeddings; rotary turns queries and keys; alibi, relative (Shaw) "
                                "and t5 act in the scores\n"
                                "of self-attention.",
                                {{"sinusoidal", PositionKind::kSinusoidal},
                                 {"learned", PositionKind::kLearned},
                                 {"none", PositionKind::kNone},
                                 {"rotary", PositionKind::kRotary},
                                 {"alibi", PositionKind::kAlibi},
                                 {"relative", PositionKind::kRelative},
                                 {"t5", PositionKind::kT5}})
      .add_choice<EmbeddingInit>(
          "embedding_init", config.embedding_init,
          "Transformer: how embeddings begin, which are multiplied by sqrt(hidden) before "
          "positions "
          "are added.\nscaled: N(0, 1 / hidden), so that words and positions weigh alike, as in "
          "fairseq and\nTensor2Tensor. chapter: N(0, 1) as the book has it, which drowns the "
          "positions in wide models.\nxavier: by Xavier's rule, as every other matrix.",
          {{"scaled", EmbeddingInit::kScaled},
           {"chapter", EmbeddingInit::kChapter},
           {"xavier", EmbeddingInit::kXavier}})
      .add("feed_forward", config.feed_forward,
           "Inner width of the transformer's feed-forward networks.", 1, 1 << 20)
      .add_choice<Activation>("activation", config.activation,
                              "In the transformer's feed-forward networks.",
                              {{"relu", Activation::kRelu},
                               {"gelu", Activation::kGelu},
                               {"swiglu", Activation::kSwiglu}})
      .add_choice<NormKind>("norm", config.norm,
                            "Transformer: how a sub-layer's rows are normalised.",
                            {{"layer", NormKind::kLayer}, {"rms", NormKind::kRms}})
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
