// The whole configuration of a run: every folder's table, in the order in which they are printed.
#pragma once

#include <string>
#include <vector>

#include "attend/data/config.h"
#include "attend/decoding/config.h"
#include "attend/models/config.h"
#include "attend/text/pipeline.h"
#include "attend/training/config.h"

namespace attend::cli {

struct RunConfig {
  text::TextConfig text;
  data::DataConfig data;
  ModelConfig model;
  training::TrainingConfig training;
  decoding::DecodingConfig decoding;

  /// The tables over this object's fields; it has to outlive them.
  std::vector<core::ConfigTable> tables();
};

/// Reads a TOML file, or a preset by its name ("bahdanau"), over the values `config` has. Throws
/// DataError with path and line, naming the presets when there is neither.
void read_run_config(const std::string& file_or_preset, RunConfig& config);

/// The same as TOML text in full, every key explained, under the comment that the file or preset
/// begins with.
std::string print_run_config(const std::string& file_or_preset);

/// The presets compiled in, from configs/.
std::vector<std::string> preset_names();

}  // namespace attend::cli
