// attend_bench_ops: each op that stands on kernels, to be checked against PyTorch's best way and
// timed beside it; bench/peers/ops.py is the other side.
//
//   list    the cases, their sizes and their inputs' shapes, as JSON
//   check   runs each case at its first size; stores inputs, outputs and gradients
//   speed   reads lines {"case", "size", "backward", "seconds"}, prints seconds a pass for each
//   memory  the most memory that one pass needs beside its inputs
#include <ATen/ops/empty.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/kernels/isa.h"
#include "attend/ops/torch_threads.h"
#include "bench/memory.h"
#include "bench/op_cases.h"
#include "bench/pass.h"
#include "bench/report_errors.h"

namespace attend::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Work prepare(const OpCase& one, const Sizes& sizes) {
  return of_tensors(one.leaves(sizes), one.fused(sizes));
}

void list() {
  json cases = json::array();
  for (const OpCase& one : op_cases()) {
    json sizes = json::array();
    for (const Sizes& timed : one.timed) {
      json inputs = json::array();
      for (const auto& [name, shape] : one.leaves(timed))
        inputs.push_back({{"name", name}, {"shape", shape}});
      sizes.push_back({{"size", timed}, {"text", size_text(one, timed)}, {"inputs", inputs}});
    }
    cases.push_back({{"name", one.name}, {"sizes", sizes}});
  }
  std::cout << json{{"isa", kernels::active_isa()}, {"cases", cases}} << "\n";
}

void check(const std::string& out) {
  if (!out.empty()) fs::create_directories(out);
  for (const OpCase& one : op_cases()) {
    const Work work = prepare(one, one.timed.front());
    const Pass result = run_pass(work, true);
    if (!finite(result)) throw DataError(one.name, "is not finite");
    if (!out.empty()) write_pass(fs::path(out) / (one.name + ".safetensors"), work, result);
  }
}

// Freed memory goes back to the system beyond a bound that grows with the largest piece ever freed;
// the peer, whose inputs of all sizes live in one process, has grown it.
void settle_heap() { at::empty({int64_t{31} << 20}, at::kByte).fill_(1); }

void speed() {
  settle_heap();
  for (std::string line; std::getline(std::cin, line);) {
    const json asked = json::parse(line);
    const Work work = prepare(find_op_case(asked.at("case")), asked.at("size").get<Sizes>());
    const double seconds = seconds_a_pass(work, asked.at("backward"), asked.at("seconds"));
    std::cout << json{{"seconds", seconds}} << std::endl;
  }
}

void memory(const std::string& name, const Sizes& sizes) {
  const OpCase& one = find_op_case(name);
  if (sizes.size() != one.letters.size())
    throw InvalidArgument("expected " + std::to_string(one.letters.size()) + " numbers for " +
                          size_text(one, one.timed.front()));
  run_pass(prepare(one, one.timed.front()), true);  // libraries load what they need
  const Work work = prepare(one, sizes);
  const PeakMemory peak = peak_memory([&] { run_pass(work, true); });
  json told = {{"tensors", peak.tensors}, {"resident", nullptr}};
  if (peak.resident) told["resident"] = *peak.resident;
  std::cout << told << "\n";
}

int run(int argc, char** argv) {
  CLI::App app("Ops on kernels, to be checked and timed (see bench/peers/README.md)");
  app.require_subcommand(1);
  std::string out, name;
  Sizes sizes;
  app.add_subcommand("list", "The cases, their sizes and inputs, as JSON")->callback(list);
  CLI::App* c = app.add_subcommand("check", "Runs each case once, at its first size");
  c->add_option("--out", out, "Folder for inputs, outputs and gradients, a file a case");
  c->callback([&] { check(out); });
  CLI::App* s = app.add_subcommand(
      "speed", "Reads a line of JSON for each window; prints the seconds of a pass");
  s->callback([] { speed(); });
  CLI::App* m = app.add_subcommand("memory", "The peak of one pass and its gradients, in bytes");
  m->add_option("case", name, "Its name")->required();
  m->add_option("size", sizes, "As list shows them")->required();
  m->callback([&] { memory(name, sizes); });
  kernels::fused();  // reads ATTEND_FORCE_ISA
  const ops::TorchThreads one_thread(1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  return attend::bench::report_errors(attend::bench::run, argc, argv);
}
