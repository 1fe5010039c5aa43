#include "bench/workload.h"

#include <CLI/CLI.hpp>

#include "attend/models/model_files.h"

namespace attend::bench {

namespace {

cli::RunConfig configure(const WorkloadOptions& options) {
  cli::RunConfig config;
  cli::read_run_config(options.config, config);
  std::vector<core::ConfigTable> tables = config.tables();
  for (const auto& assignment : options.set) core::set_config(assignment, tables);
  config.data.pairs = options.data;
  config.training.threads = options.threads;
  // Only steps are measured: nothing is validated or saved between them.
  config.training.validate_every = 0;
  config.training.checkpoint_seconds = 1e6;
  return config;
}

}  // namespace

void add_workload_options(CLI::App& app, WorkloadOptions& options) {
  app.add_option("--config", options.config, "A preset or a TOML file")->required();
  app.add_option("--data", options.data, "Pairs in columns")->required();
  app.add_option("--set", options.set, "KEY=VALUE; repeatable")->take_all()->expected(1);
  app.add_option("--threads", options.threads, "0: as many as there are");
}

Workload make_workload(const WorkloadOptions& options) {
  const cli::RunConfig config = configure(options);
  const auto silent = [](const std::string&) {};
  Workload w{config, cli::read_train_data(config, "", silent, silent), nullptr, {}};
  w.toml = core::print_config(w.config.tables());
  w.config.model = with_texts(config.model, w.data.source, w.data.target, config.data.steps);
  w.model = make_model(w.config.model, {.seed = static_cast<uint64_t>(config.training.seed)});
  return w;
}

training::TrainingResult train(Workload& workload, const std::string& folder,
                               const std::atomic<bool>& stop,
                               const std::function<void(const training::StepReport&)>& on_step) {
  training::TrainerCallbacks callbacks;
  callbacks.on_step = on_step;
  return training::train(
      *workload.model, workload.config.training, {.train = &workload.data.train},
      {.folder = folder,
       .identity = identify(workload.data.source, workload.data.target, workload.toml),
       .stop = &stop},
      callbacks);
}

}  // namespace attend::bench
