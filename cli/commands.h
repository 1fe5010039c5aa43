// The program's subcommands. Each adds itself to the application and, when chosen, sets what to
// run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace attend::cli {

/// Set by the chosen subcommand; returns the exit status.
using Action = std::function<int()>;

void add_train(CLI::App& app, Action& action);
void add_translate(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_map(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_learn(CLI::App& app, Action& action);

}  // namespace attend::cli
