#include <initializer_list>
#include <string>

#include "attend/core/errors.h"
#include "attend/models/bahdanau_model.h"
#include "attend/models/gru_model.h"
#include "attend/models/transformer_model.h"

namespace attend {
namespace {

void check(const ModelConfig& config) {
  if (config.source_vocabulary < 1 || config.target_vocabulary < 1)
    throw InvalidArgument("[model] expected vocabularies of at least one token, found " +
                          std::to_string(config.source_vocabulary) + " and " +
                          std::to_string(config.target_vocabulary));
  if (config.tied_embeddings && config.kind != ModelKind::kTransformer &&
      config.embedding != config.hidden)
    throw InvalidArgument("[model] tied_embeddings needs embedding = hidden, found " +
                          std::to_string(config.embedding) + " and " +
                          std::to_string(config.hidden));
}

struct Key {
  const char* name;
  bool changed;  // from its default
};

// A choice that a kind makes no use of is refused, not passed over in silence. Sizes are let be:
// presets carry them along.
void refuse_changed(const char* kind, std::initializer_list<Key> keys) {
  for (const Key& key : keys)
    if (key.changed)
      throw InvalidArgument("[model] kind = \"" + std::string(kind) + "\" makes no use of " +
                            key.name + ": leave it at its default, or choose another kind");
}

void check_recurrent(const char* kind, const ModelConfig& config) {
  const ModelConfig usual;
  refuse_changed(kind, {{"window", config.window != usual.window},
                        {"key_value_heads", config.key_value_heads != usual.key_value_heads},
                        {"linear_attention", config.linear_attention},
                        {"positions", config.positions != usual.positions},
                        {"embedding_init", config.embedding_init != usual.embedding_init},
                        {"activation", config.activation != usual.activation},
                        {"norm", config.norm != usual.norm},
                        {"norm_first", config.norm_first},
                        {"attention_bias", config.attention_bias}});
}

void check_gru(const ModelConfig& config) {
  check_recurrent("gru", config);
  refuse_changed("gru", {{"score", config.score.has_value()},
                         {"normaliser", config.normaliser != Normaliser::kSoftmax}});
}

void check_bahdanau(const ModelConfig& config) { check_recurrent("bahdanau", config); }

void check_cells_of_transformer(const ModelConfig& config) {
  refuse_changed("transformer", {{"cell", config.cell != CellKind::kGru},
                                 {"bidirectional", config.bidirectional}});
}

}  // namespace

std::unique_ptr<Seq2Seq> make_model(const ModelConfig& config,
                                    const ParameterStore::Options& options) {
  check(config);
  switch (config.kind) {
    case ModelKind::kGru:
      check_gru(config);
      return std::make_unique<GruModel>(config, options);
    case ModelKind::kBahdanau:
      check_bahdanau(config);
      return std::make_unique<BahdanauModel>(config, options);
    case ModelKind::kTransformer:
      check_cells_of_transformer(config);
      return std::make_unique<TransformerModel>(config, options);
  }
  throw InternalError("[model] an unknown kind");
}

}  // namespace attend
