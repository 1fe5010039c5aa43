// A model's folder as `attend info --model` shows it.
#pragma once

#include <string>

#include "attend/models/model_files.h"

namespace attend::cli {

/// What it is, how it was trained, its parameters as a tree with shapes and counts, configuration,
/// vocabularies. `folder` is where it was read from.
std::string model_text(const LoadedModel& model, const std::string& folder);
std::string model_json(const LoadedModel& model, const std::string& folder);

}  // namespace attend::cli
