// Private to models: what of a model's folder is read before a model is built.
#pragma once

#include <string>

#include "attend/core/safetensors.h"
#include "attend/data/config.h"
#include "attend/models/config.h"
#include "attend/models/weights_file.h"
#include "attend/text/pipeline.h"

namespace attend {

struct FolderConfig {
  text::TextConfig text;
  data::DataConfig data;
  ModelConfig model;
};

/// The tables of config.toml that say what the weights mean; [training] and others are skipped.
FolderConfig read_folder_config(const std::string& toml, const std::string& path);

/// [text] and [model], as core::config_lines.
std::string identity_lines(FolderConfig config);

ModelIdentity identity_of(const FolderConfig& config, const text::Pipeline& source,
                          const text::Pipeline& target);

/// Throws DataError when there is no such folder.
void require_folder(const std::string& folder);

/// model.safetensors, whole, before anything is built: a file that is cut short is known first.
struct WeightsFile {
  explicit WeightsFile(const std::string& folder);
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  /// Rows of learned positions, else `steps`, which may be edited in config.toml later.
  int64_t longest(int64_t steps) const;
  /// Copies the weights, after all checks. Returns what check_checksum says.
  std::string copy_into(const ParameterStore& store) const;

  std::string path;
  std::string bytes;
  core::Safetensors tensors;
  ModelIdentity identity;
};

}  // namespace attend
