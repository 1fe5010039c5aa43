#include "attend/models/model_files.h"

#include <utility>

#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"
#include "attend/models/weights_folder.h"

namespace attend {

ModelIdentity identify(const text::Pipeline& source, const text::Pipeline& target,
                       const std::string& config_toml) {
  return identity_of(read_folder_config(config_toml, "config.toml"), source, target);
}

void save_weights(const std::string& folder, const Seq2Seq& model, const text::Pipeline& source,
                  const text::Pipeline& target, const std::string& config_toml) {
  write_weights(folder, model.parameters(), model.parameters().flat(),
                identify(source, target, config_toml));
}

ModelConfig with_texts(ModelConfig config, const text::Pipeline& source,
                       const text::Pipeline& target, int64_t longest) {
  config.longest = longest;
  config.source_vocabulary = source.vocabulary_size();
  config.target_vocabulary = target.vocabulary_size();
  config.begin_id = target.special().begin;
  config.padding_id = target.special().padding;
  return config;
}

LoadedModel load_model(const std::string& folder, at::Device device) {
  require_folder(folder);
  const std::string config_path = folder + "/config.toml";
  std::string toml = core::read_text_file(config_path);
  const FolderConfig config = read_folder_config(toml, config_path);
  LoadedModel loaded{config.text,
                     config.data,
                     text::Pipeline::load(config.text, text::Side::kSource, folder),
                     text::Pipeline::load(config.text, text::Side::kTarget, folder),
                     nullptr,
                     std::move(toml),
                     config_path,
                     {}};
  const WeightsFile file(folder);
  check_identity(file.identity, identity_of(config, loaded.source, loaded.target), file.path,
                 folder + "/" + text::file_name(loaded.source.tokeniser(), text::Side::kSource),
                 folder + "/" + text::file_name(loaded.target.tokeniser(), text::Side::kTarget));
  try {
    loaded.model = make_model(
        with_texts(config.model, loaded.source, loaded.target, file.longest(config.data.steps)),
        {.seed = 0, .device = device, .initialise = false});
  } catch (const InvalidArgument& error) {
    throw DataError(config_path, error.what());  // here it is the folder's mistake
  }
  loaded.note = file.copy_into(loaded.model->parameters());
  return loaded;
}

}  // namespace attend
