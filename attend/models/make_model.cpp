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

}  // namespace

std::unique_ptr<Seq2Seq> make_model(const ModelConfig& config,
                                    const ParameterStore::Options& options) {
  check(config);
  switch (config.kind) {
    case ModelKind::kGru:
      return std::make_unique<GruModel>(config, options);
    case ModelKind::kBahdanau:
      return std::make_unique<BahdanauModel>(config, options);
    case ModelKind::kTransformer:
      return std::make_unique<TransformerModel>(config, options);
  }
  throw InternalError("[model] an unknown kind");
}

}  // namespace attend
