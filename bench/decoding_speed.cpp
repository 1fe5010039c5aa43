// attend_bench_decode: greedy decoding by the library's door, to be checked and timed.
//
//   translations  what the model writes for each line, in tokens
//   speed         reads lines of JSON, {"batch": 32, "split": 32, "seconds": 1}: translates `batch`
//                 lines a call, at most `split` of them together, until the seconds are over;
//                 prints the milliseconds of each call, and the tokens written. With "all": true
//                 every line once, from the first on. With --ids: ids in and out, as a peer
//                 without text has them, on one thread
//
// bench/peers/compare_decoding.py has the other side; tools/bench.sh runs both.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/data/dataset.h"
#include "attend/decoding/greedy.h"
#include "attend/decoding/translator.h"
#include "attend/models/model_files.h"
#include "attend/ops/torch_threads.h"
#include "bench/memory.h"
#include "bench/report_errors.h"

namespace attend::bench {
namespace {

using nlohmann::json;

struct Options {
  std::string model;
  std::string lines;
  std::string out;
  int threads = 1;
  int64_t max_steps = 0;
  bool ids = false;
};

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw DataError(path, "cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  if (lines.empty()) throw DataError(path, "has no line");
  return lines;
}

// Tokens a decoder had to find: the end mark counts where it was reached.
template <class Written>
int64_t steps_of(const std::vector<Written>& all) {
  int64_t steps = 0;
  for (const Written& written : all)
    steps += static_cast<int64_t>(written.log_probabilities.size());
  return steps;
}

// The peers leave an unknown word what it is.
TranslateOptions as_the_peers(const Options& options, int64_t split = 0) {
  return {.max_steps = options.max_steps, .batch_size = split, .replace_unknown = false};
}

void translations(const Options& options) {
  const Translator translator = Translator::load(options.model, {"cpu", options.threads});
  json all = json::array();
  for (const Translation& t :
       translator.translate(read_lines(options.lines), as_the_peers(options)))
    all.push_back({{"source", t.source_tokens},
                   {"target", t.tokens},
                   {"finished", t.finished},
                   {"log_probabilities", t.log_probabilities}});
  core::write_file_atomic(options.out, all.dump());
}

// Lines [first, end) translated, at most `split` together: the tokens written.
using Translate = std::function<int64_t(size_t first, size_t end, int64_t split)>;

Translate by_text(const Options& options, const std::vector<std::string>& lines) {
  auto translator =
      std::make_shared<Translator>(Translator::load(options.model, {"cpu", options.threads}));
  return [=](size_t first, size_t end, int64_t split) {
    const auto at = [&](size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
    return steps_of(translator->translate(std::vector<std::string>(at(first), at(end)),
                                          as_the_peers(options, split)));
  };
}

Translate by_ids(const Options& options, const std::vector<std::string>& lines) {
  auto loaded = std::make_shared<LoadedModel>(load_model(options.model, at::kCPU));
  std::vector<std::vector<int32_t>> sources;
  for (const std::string& line : lines)
    sources.push_back(data::encode_source(loaded->source, line, loaded->data_config.steps).ids);
  const decoding::DecodeOptions decode{
      options.max_steps > 0 ? options.max_steps : loaded->data_config.steps,
      loaded->target.special().begin, loaded->target.special().end, false};
  return [=](size_t first, size_t end, int64_t) {
    data::PackedIds source;
    for (size_t i = first; i < end; ++i) source.append(sources[i]);
    return steps_of(decoding::greedy(*loaded->model, source, decode));
  };
}

void speed(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::string> lines = read_lines(options.lines);
  const ops::TorchThreads one_thread(1);
  const Translate translate = options.ids ? by_ids(options, lines) : by_text(options, lines);
  size_t next = 0;  // windows go on where the last one ended
  for (std::string asked; std::getline(std::cin, asked);) {
    const json window = json::parse(asked);
    const auto batch = window.at("batch").get<size_t>();
    const bool all = window.value("all", false);
    const double seconds = all ? 0.0 : window.at("seconds").get<double>();
    std::vector<double> milliseconds;
    int64_t tokens = 0;
    double elapsed = 0.0;
    if (all) next = 0;
    while (all ? milliseconds.empty() || next < lines.size() : elapsed < seconds) {
      if (next >= lines.size()) next = 0;
      const size_t first = next, end = std::min(next + batch, lines.size());
      next = end;
      const auto start = Clock::now();
      tokens += translate(first, end, window.at("split").get<int64_t>());
      const double taken = std::chrono::duration<double>(Clock::now() - start).count();
      elapsed += taken;
      milliseconds.push_back(taken * 1e3);
    }
    std::cout << json{{"tokens", tokens},
                      {"seconds", elapsed},
                      {"milliseconds", milliseconds},
                      {"resident", peak_resident().value_or(0)}}
              << std::endl;
  }
}

int run(int argc, char** argv) {
  CLI::App app("Greedy decoding, to be checked and timed (see bench/peers/README.md)");
  app.require_subcommand(1);
  Options options;
  const auto with_model = [&](CLI::App* command) {
    command->add_option("--model", options.model, "A trained model's folder")->required();
    command->add_option("--lines", options.lines, "Sentences, one a line")->required();
    command->add_option("--threads", options.threads, "0: as many as there are")
        ->capture_default_str();
    command->add_option("--max-steps", options.max_steps,
                        "Tokens of a translation; 0: the model's");
    return command;
  };
  CLI::App* t = with_model(app.add_subcommand("translations", "Writes them, in tokens, as JSON"));
  t->add_option("--out", options.out, "The file")->required();
  t->callback([&] { translations(options); });
  CLI::App* s = with_model(
      app.add_subcommand("speed", "Reads a line of JSON for each window, prints one about it"));
  s->add_flag("--ids", options.ids, "Time ids to ids in place of text to text");
  s->callback([&] { speed(options); });
  CLI11_PARSE(app, argc, argv);
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  return attend::bench::report_errors(attend::bench::run, argc, argv);
}
