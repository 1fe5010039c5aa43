// What a run of training works on, from a preset and a file of pairs, as `attend train` has it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/models/seq2seq.h"
#include "attend/training/trainer.h"
#include "cli/run_config.h"
#include "cli/train_data.h"

namespace CLI {
class App;
}

namespace attend::bench {

struct WorkloadOptions {
  std::string config;            ///< a preset or a TOML file
  std::string data;              ///< pairs in columns
  std::vector<std::string> set;  ///< "table.key=value"
  int64_t threads = 0;           ///< 0: automatic
};

struct Workload {
  cli::RunConfig config;
  cli::TrainData data;
  std::unique_ptr<Seq2Seq> model;
  std::string toml;  ///< the configuration in full
};

/// The options of a program, or of a subcommand, that say which.
void add_workload_options(CLI::App& app, WorkloadOptions& options);

/// Throws what the program would: DataError, InvalidArgument.
Workload make_workload(const WorkloadOptions& options);

/// training::train on it, with what it writes kept in `folder`.
training::TrainingResult train(Workload& workload, const std::string& folder,
                               const std::atomic<bool>& stop,
                               const std::function<void(const training::StepReport&)>& on_step);

}  // namespace attend::bench
