// The flags of every command that uses a trained model.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "attend/decoding/translator.h"

namespace attend::cli {

struct ModelOptions {
  std::string folder;
  std::string device = "auto";
  int threads = 0;
};

/// Adds --model, --device and --threads.
void add_model_options(CLI::App& command, ModelOptions& options);

/// Adds --max-steps and --batch-size, as those commands have them that write translations.
void add_decoding_options(CLI::App& command, int64_t& max_steps, int64_t& batch_size);

/// Throws InvalidArgument when no --model was given, and as load_model does.
std::shared_ptr<const LoadedModel> load(const ModelOptions& options);

/// Throws DataError for a model without attention, where a map is asked for.
void require_attention(const LoadedModel& model, const std::string& folder);

}  // namespace attend::cli
