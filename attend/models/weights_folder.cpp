#include "attend/models/weights_folder.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <filesystem>

#include "attend/core/config_lines.h"
#include "attend/core/errors.h"
#include "attend/core/safetensors.h"

namespace attend {

FolderConfig read_folder_config(const std::string& toml, const std::string& path) {
  FolderConfig config;
  config.text = text::stored_defaults();
  std::vector<core::ConfigTable> tables = {text::describe(config.text), data::describe(config.data),
                                           describe(config.model)};
  core::read_config(toml, path, tables, core::UnknownTables::kSkip);
  return config;
}

std::string identity_lines(FolderConfig config) {
  return core::config_lines({text::describe(config.text), describe(config.model)});
}

ModelIdentity identity_of(const FolderConfig& config, const text::Pipeline& source,
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

WeightsFile::WeightsFile(const std::string& folder)
    : path(folder + "/model.safetensors"), bytes(core::read_safetensors_bytes(path)) {
  tensors = core::parse_safetensors(bytes, path);
  identity = read_identity(tensors.metadata, "attend-model", path);
}

int64_t WeightsFile::longest(int64_t steps) const {
  const core::TensorView* table = tensors.find("encoder.positions.weight");
  return table != nullptr && !table->shape.empty() ? table->shape[0] : steps;
}

std::string WeightsFile::copy_into(const ParameterStore& store) const {
  c10::NoGradGuard no_grad;
  const at::Tensor flat = at::empty({store.numel()}, store.flat().options().device(at::kCPU));
  read_parameters(tensors, path, store, flat);
  std::string note = check_checksum(tensors, path);
  check_values(store, flat, path);
  store.flat().copy_(flat);
  return note;
}

}  // namespace attend
