// Where a run's configuration comes from: a file or a preset.
#pragma once

#include <string>
#include <vector>

#include "attend/training/run_config.h"

namespace attend::cli {

using training::RunConfig;

/// Reads a TOML file, or a preset by its name ("bahdanau"), over the values `config` has. Throws
/// DataError with path and line, naming the presets when there is neither.
void read_run_config(const std::string& file_or_preset, RunConfig& config);

/// The same, and `config` as TOML text in full, every key explained, under the comment that the
/// file or preset begins with.
std::string print_run_config(const std::string& file_or_preset, RunConfig& config);

/// The presets compiled in, from configs/.
std::vector<std::string> preset_names();

/// Whether read_run_config() takes this for a preset, and not for a file.
bool is_preset(const std::string& file_or_preset);

}  // namespace attend::cli
