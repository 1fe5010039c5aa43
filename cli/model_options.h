// The flags of every command that uses a trained model.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
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

/// How translations are found, where the command line says so; the rest is the model's [decoding].
struct DecodingFlags {
  int64_t max_steps = 0;                ///< 0: not said
  int64_t batch_size = 0;               ///< 0: not said
  std::optional<bool> replace_unknown;  ///< nothing: not said

  TranslateOptions options() const;
};

/// Adds --max-steps and --replace-unknown; of the commands that translate many lines --batch-size
/// too.
void add_decoding_options(CLI::App& command, DecodingFlags& flags, bool many_lines = true);

/// Throws InvalidArgument when no --model was given, and as load_model does.
std::shared_ptr<const LoadedModel> load(const ModelOptions& options);

/// Throws DataError for a model without attention, where a map is asked for.
void require_attention(const LoadedModel& model, const std::string& folder);

}  // namespace attend::cli
