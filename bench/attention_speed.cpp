// attend_bench_attention: each mechanism of attention, to be checked against PyTorch's usual way of
// writing it and timed beside it; bench/peers/attention.py is the other side.
//
//   list    the cases and their inputs' shapes, as JSON
//   check   runs each case at one length, and fails when one keeps the features of every pair
//   speed   reads lines {"case", "length", "backward", "seconds"}, prints seconds a pass for each
//   memory  the most memory that one pass needs beside its inputs
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/ops/torch_threads.h"
#include "bench/attention_cases.h"
#include "bench/memory.h"
#include "bench/pass.h"
#include "bench/report_errors.h"

namespace attend::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void list(int64_t length) {
  json cases = json::array();
  for (const AttentionCase& one : attention_cases()) {
    json inputs = json::array();
    for (const auto& [name, tensor] : one.prepare(length).inputs)
      inputs.push_back({{"name", name}, {"shape", tensor.sizes().vec()}});
    cases.push_back({{"name", one.name}, {"inputs", inputs}});
  }
  std::cout << cases.dump() << "\n";
}

// Memory is judged by the tensors alone, which is exact.
void check(int64_t length, const std::string& out) {
  if (!out.empty()) fs::create_directories(out);
  bool good = true;
  for (const AttentionCase& one : attention_cases()) {
    const Work work = one.prepare(length);
    Pass result;
    const PeakMemory peak = peak_memory([&] { result = run_pass(work, true); });
    const bool sound = finite(result);
    const int64_t features = 4 * one.pair_features * length * length;
    const bool lean = peak.tensors < features;
    std::printf("%-24s %s, %lld bytes of tensors at most; every pair's features take %lld%s\n",
                one.name.c_str(), sound ? "finite" : "NOT FINITE",
                static_cast<long long>(peak.tensors), static_cast<long long>(features),
                lean ? "" : ": TOO MUCH");
    good = good && sound && lean;
    if (!out.empty()) write_pass(fs::path(out) / (one.name + ".safetensors"), work, result);
  }
  if (!good) throw DataError("attention cases", "are not as they should be");
}

void speed() {
  for (std::string line; std::getline(std::cin, line);) {
    const json asked = json::parse(line);
    const Work work = find_case(asked.at("case")).prepare(asked.at("length"));
    const double seconds = seconds_a_pass(work, asked.at("backward"), asked.at("seconds"));
    std::cout << json{{"seconds", seconds}} << std::endl;
  }
}

void memory(const std::string& name, int64_t length, bool backward) {
  const AttentionCase& one = find_case(name);
  run_pass(one.prepare(std::min<int64_t>(length, 16)), backward);  // libraries load what they need
  const Work work = one.prepare(length);
  const PeakMemory peak = peak_memory([&] { run_pass(work, backward); });
  json told = {{"tensors", peak.tensors}, {"resident", nullptr}};
  if (peak.resident) told["resident"] = *peak.resident;
  std::cout << told << "\n";
}

int run(int argc, char** argv) {
  CLI::App app("Attention's mechanisms, to be checked and timed (see bench/peers/README.md)");
  app.require_subcommand(1);
  int64_t length = 64;
  bool backward = false;
  std::string out, name;
  const auto with_length = [&](CLI::App* command) {
    command->add_option("--length", length, "Tq and Tk")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    return command;
  };
  CLI::App* l = with_length(app.add_subcommand("list", "The cases and their inputs, as JSON"));
  l->callback([&] { list(length); });
  CLI::App* c = with_length(app.add_subcommand("check", "Runs each case once"));
  c->add_option("--out", out, "Folder for inputs, outputs and gradients, a file a case");
  c->callback([&] { check(length, out); });
  CLI::App* s = app.add_subcommand(
      "speed", "Reads a line of JSON for each window; prints the seconds of a pass");
  s->callback([] { speed(); });
  CLI::App* m = with_length(app.add_subcommand("memory", "The peak of one pass, in bytes"));
  m->add_option("case", name, "Its name")->required();
  m->add_flag("--backward", backward, "Forward and backward");
  m->callback([&] { memory(name, length, backward); });
  const ops::TorchThreads one_thread(1);
  CLI11_PARSE(app, argc, argv);
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  return attend::bench::report_errors(attend::bench::run, argc, argv);
}
