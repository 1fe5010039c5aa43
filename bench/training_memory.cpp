// attend_bench_memory: what a run of training holds and asks for, epoch by epoch, as JSON.
// Allocations and the heap are those of all threads and libraries.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/count_allocations.h"
#include "bench/memory.h"
#include "bench/report_errors.h"
#include "bench/workload.h"

namespace attend::bench {
namespace {

using nlohmann::json;

void measure(const WorkloadOptions& options, int64_t epochs, const std::string& out) {
  Workload w = make_workload(options);
  w.config.training.epochs = epochs;
  std::filesystem::create_directories(out);
  json told = {{"before", resident().value_or(0)},
               {"parameters", w.model->parameters().numel()},
               {"epochs", json::array()}};
  const std::atomic<bool> stop = false;
  int64_t steps_before = 0, allocations_before = allocations();
  train(w, out, stop, [&](const training::StepReport& report) {
    if (report.batch < report.batches) return;
    const int64_t now = allocations();
    told["epochs"].push_back({{"steps", report.step - steps_before},
                              {"tokens", report.tokens},
                              {"allocations", now - allocations_before},
                              {"heap", heap_size()},
                              {"heap_in_use", heap_in_use()},
                              {"resident", resident().value_or(0)},
                              {"peak", peak_resident().value_or(0)}});
    steps_before = report.step;
    allocations_before = allocations();
  });
  std::cout << told << "\n";
}

int run(int argc, char** argv) {
  CLI::App app("What training holds and asks for (see bench/peers/README.md)");
  WorkloadOptions options;
  int64_t epochs = 3;
  std::string out;
  add_workload_options(app, options);
  app.add_option("--epochs", epochs, "How many")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--out", out, "Folder for what training writes")->required();
  CLI11_PARSE(app, argc, argv);
  measure(options, epochs, out);
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  return attend::bench::report_errors(attend::bench::run, argc, argv);
}
