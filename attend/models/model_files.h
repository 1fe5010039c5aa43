// A model is a folder: config.toml and vocabularies, written once before the first step, and
// model.safetensors, whose metadata binds it to the other files: the format version, the keys of
// [text] and [model], the vocabularies' hashes. docs/model-format.md lists each tensor.
#pragma once

#include <memory>
#include <string>

#include "attend/data/config.h"
#include "attend/models/seq2seq.h"
#include "attend/models/weights_file.h"
#include "attend/text/pipeline.h"

namespace attend {

/// All that it takes to use a trained model.
struct LoadedModel {
  text::TextConfig text_config;
  data::DataConfig data_config;  ///< its `steps` is the longest sentence the model was trained for
  text::Pipeline source;
  text::Pipeline target;
  std::unique_ptr<Seq2Seq> model;
  /// The text of config.toml, of which folders further right read their own tables, and its path
  /// for their messages. Both empty for a model that was not loaded.
  std::string config_toml = {};
  std::string config_path = {};
  std::string note = {};  ///< a sentence for people: the weights have no checksum; else ""
};

/// The configuration with what the texts add to it: the vocabularies' sizes and marks, and the
/// longest sentence in ids.
ModelConfig with_texts(ModelConfig config, const text::Pipeline& source,
                       const text::Pipeline& target, int64_t longest);

/// What weights trained with these belong to. Only [text] and [model] of `config_toml` count.
ModelIdentity identify(const text::Pipeline& source, const text::Pipeline& target,
                       const std::string& config_toml);

/// Writes `model.safetensors` into `folder`, atomically. `config_toml` is the text of config.toml.
void save_weights(const std::string& folder, const Seq2Seq& model, const text::Pipeline& source,
                  const text::Pipeline& target, const std::string& config_toml);

/// Reads a model's folder. Checks names, shapes, dtype, version, hashes and the checksum, and says
/// which differ. Throws DataError, naming the file.
LoadedModel load_model(const std::string& folder, at::Device device = at::kCPU);

}  // namespace attend
