#include "attend/models/model_files.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <c10/core/GradMode.h>

#include <filesystem>

#include "attend/core/config_lines.h"
#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"

namespace attend {
namespace {

struct FolderConfig {
  text::TextConfig text;
  data::DataConfig data;
  ModelConfig model;
};

// [training] and other tables belong to folders that this one does not know.
FolderConfig read_folder_config(const std::string& toml, const std::string& path) {
  FolderConfig config;
  config.text = text::stored_defaults();
  std::vector<core::ConfigTable> tables = {text::describe(config.text), data::describe(config.data),
                                           describe(config.model)};
  core::read_config(toml, path, tables, core::UnknownTables::kSkip);
  return config;
}

std::string identity_lines(FolderConfig& config) {
  return core::config_lines({text::describe(config.text), describe(config.model)});
}

ModelIdentity identity_of(FolderConfig& config, const text::Pipeline& source,
                          const text::Pipeline& target) {
  return {identity_lines(config), source.hash(), target.hash(), source.vocabulary_size(),
          target.vocabulary_size()};
}

void require_folder(const std::string& folder) {
  std::error_code error;  // a loop of links, a folder that may not be entered
  if (std::filesystem::is_directory(folder, error)) return;
  const bool exists = std::filesystem::exists(folder, error);
  if (error) throw DataError(folder, "can't be opened: " + error.message());
  throw DataError(folder,
                  exists ? "expected a model's folder, found a file" : "there is no such folder");
}

// Reads before anything is built, so that a file cut short is known first.
struct WeightsFile {
  std::string path;
  std::string bytes;
  core::Safetensors tensors;
  ModelIdentity identity;

  explicit WeightsFile(const std::string& folder)
      : path(folder + "/model.safetensors"), bytes(core::read_safetensors_bytes(path)) {
    tensors = core::parse_safetensors(bytes, path);
    identity = read_identity(tensors.metadata, "attend-model", path);
  }
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  // Steps of [data] may be edited later; the table says how many rows there are.
  int64_t longest(int64_t steps) const {
    const core::TensorView* table = tensors.find("encoder.positions.weight");
    return table != nullptr && !table->shape.empty() ? table->shape[0] : steps;
  }

  void copy_into(const ParameterStore& store) const {
    c10::NoGradGuard no_grad;
    const at::Tensor flat = at::empty({store.numel()}, store.flat().options().device(at::kCPU));
    read_parameters(tensors, path, store, flat);
    for (const auto& slot : store.slots())
      if (!at::isfinite(flat.narrow(0, slot->offset, slot->numel)).all().item<bool>())
        throw DataError(path, "the tensor " + slot->name + " has values that are not finite");
    store.flat().copy_(flat);
  }
};

}  // namespace

ModelIdentity identify(const text::Pipeline& source, const text::Pipeline& target,
                       const std::string& config_toml) {
  FolderConfig config = read_folder_config(config_toml, "config.toml");
  return identity_of(config, source, target);
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
  FolderConfig config = read_folder_config(toml, config_path);
  LoadedModel loaded{config.text,
                     config.data,
                     text::Pipeline::load(config.text, text::Side::kSource, folder),
                     text::Pipeline::load(config.text, text::Side::kTarget, folder),
                     nullptr,
                     std::move(toml),
                     config_path};
  const WeightsFile file(folder);
  check_identity(file.identity, identity_of(config, loaded.source, loaded.target), file.path,
                 folder + "/" + text::file_name(loaded.source.tokeniser(), text::Side::kSource),
                 folder + "/" + text::file_name(loaded.target.tokeniser(), text::Side::kTarget));
  loaded.model = make_model(
      with_texts(config.model, loaded.source, loaded.target, file.longest(config.data.steps)),
      {.seed = 0, .device = device, .initialise = false});
  file.copy_into(loaded.model->parameters());
  return loaded;
}

void load_weights_into(const std::string& folder, Seq2Seq& model) {
  require_folder(folder);
  WeightsFile(folder).copy_into(model.parameters());
}

}  // namespace attend
