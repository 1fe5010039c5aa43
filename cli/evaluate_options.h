// The options of `attend evaluate`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_options.h"
#include "cli/scoring.h"

namespace attend::cli {

struct EvaluateFlags {
  ModelOptions model;
  std::string data, columns, source, hypothesis;
  std::vector<std::string> references;
  ScoringFlags scoring;
  std::vector<std::string> without_heads;
  DecodingFlags decoding;
  int64_t limit = 0;
  bool detokenised = false, sentences = false, by_length = false, json = false;
  bool rank_heads = false, quiet = false;
};

/// Adds what is not of every command that has a model.
void add_evaluate_options(CLI::App& command, EvaluateFlags& flags);

/// Throws InvalidArgument for options that don't go together, or that the chosen way of evaluating
/// makes no use of.
void check_evaluate_options(const CLI::App& command, const EvaluateFlags& flags);

}  // namespace attend::cli
