#include <string>

#include "attend/core/errors.h"
#include "attend/models/bahdanau_model.h"
#include "attend/models/check_config.h"
#include "attend/models/gru_model.h"
#include "attend/models/transformer_model.h"
#include "attend/ops/out_of_memory.h"

namespace attend {
namespace {

void check(const ModelConfig& config) {
  if (config.source_vocabulary < 1 || config.target_vocabulary < 1)
    throw InvalidArgument("[model] expected vocabularies of at least one token, found " +
                          std::to_string(config.source_vocabulary) + " and " +
                          std::to_string(config.target_vocabulary));
  check_config(config);
}

// The keys that a model's size hangs on.
std::string sizes(const ModelConfig& config) {
  std::string text = "hidden = " + std::to_string(config.hidden);
  if (config.kind == ModelKind::kTransformer)
    text += ", feed_forward = " + std::to_string(config.feed_forward);
  else
    text += ", embedding = " + std::to_string(config.embedding);
  return text + ", layers = " + std::to_string(config.layers) + " and vocabularies of " +
         std::to_string(config.source_vocabulary) + " and " +
         std::to_string(config.target_vocabulary);
}

std::unique_ptr<Seq2Seq> construct(const ModelConfig& config,
                                   const ParameterStore::Options& options) {
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

}  // namespace

std::unique_ptr<Seq2Seq> make_model(const ModelConfig& config,
                                    const ParameterStore::Options& options) {
  check(config);
  try {
    return construct(config, options);
  } catch (const ops::OutOfMemory& error) {
    throw InvalidArgument("[model] " + sizes(config) + " are too much: " + error.what());
  }
}

}  // namespace attend
