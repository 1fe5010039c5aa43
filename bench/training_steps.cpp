// attend_bench_steps: steps of training, to be checked against another implementation and timed.
//
//   parity  N steps of training::train without dropout, with all it takes to repeat them elsewhere
//   speed   tokens a second of training::train, in windows, each one started by a line of input
//   logits  a trained model's logits for some pairs
//
// bench/peers has the other side; tools/bench.sh runs both.
#include <ATen/Version.h>
#include <c10/core/GradMode.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/processors.h"
#include "attend/core/random.h"
#include "attend/core/safetensors.h"
#include "attend/data/batches.h"
#include "attend/models/model_files.h"
#include "bench/memory.h"
#include "bench/report_errors.h"
#include "bench/workload.h"

namespace attend::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::vector<int32_t>> sentences(const data::PackedIds& packed) {
  std::vector<std::vector<int32_t>> lists;
  for (int64_t b = 0; b < packed.size(); ++b)
    lists.emplace_back(packed.ids.begin() + packed.offsets[static_cast<size_t>(b)],
                       packed.ids.begin() + packed.offsets[static_cast<size_t>(b) + 1]);
  return lists;
}

json as_json(const data::Batch& batch) {
  return {{"source", sentences(batch.source)}, {"target", sentences(batch.target)}};
}

const char* kind_name(ModelKind kind) {
  switch (kind) {
    case ModelKind::kGru:
      return "gru";
    case ModelKind::kBahdanau:
      return "bahdanau";
    case ModelKind::kTransformer:
      return "transformer";
  }
  throw InternalError("[bench] an unknown kind");
}

// What the peer has to know; `dropout` is the configured one, which is for timing alone.
json describe(const Workload& w, double dropout) {
  const ModelConfig& m = w.config.model;
  return {{"kind", kind_name(m.kind)},
          {"source_vocabulary", m.source_vocabulary},
          {"target_vocabulary", m.target_vocabulary},
          {"embedding", m.embedding},
          {"hidden", m.hidden},
          {"layers", m.layers},
          {"heads", m.heads},
          {"feed_forward", m.feed_forward},
          {"dropout", dropout},
          {"begin_id", m.begin_id},
          {"padding_id", m.padding_id},
          {"tied_embeddings", m.tied_embeddings},
          // What the peer pads to, at least: batches of like lengths only as far as they need.
          {"steps", w.config.training.bucket ? 0 : w.config.data.steps},
          {"lr", w.config.training.learning_rate},
          {"clip", w.config.training.clip}};
}

void check_comparable(const cli::RunConfig& config) {
  const training::TrainingConfig& t = config.training;
  const ModelConfig& m = config.model;
  if (t.schedule != training::Schedule::kConstant || t.beta1 != 0.9 || t.beta2 != 0.999 ||
      t.epsilon != 1e-8 || m.norm_first || m.attention_bias)
    throw InvalidArgument(
        "the peer has a constant rate, Adam's usual numbers, and no norm_first and attention_bias");
}

// As the trainer draws it: where this goes wrong, the losses of the two sides differ.
data::Epoch epoch_of(const Workload& w, int64_t epoch) {
  const training::TrainingConfig& t = w.config.training;
  data::BatchOptions options;
  options.sentences = t.batch_size;
  options.tokens = t.batch_tokens;
  options.bucket = t.bucket;
  const uint64_t key = core::combine(static_cast<uint64_t>(t.seed), core::hash_name("order"));
  return {w.data.train, options, key, epoch};
}

json first_batches(const Workload& w, int64_t count) {
  json batches = json::array();
  for (int64_t epoch = 0; static_cast<int64_t>(batches.size()) < count; ++epoch) {
    const data::Epoch order = epoch_of(w, epoch);
    for (int64_t i = 0; i < order.size() && static_cast<int64_t>(batches.size()) < count; ++i)
      batches.push_back(as_json(order.batch(i)));
  }
  return batches;
}

void write_json(const fs::path& path, const json& value) {
  core::write_file_atomic(path.string(), value.dump());
}

void parity(const WorkloadOptions& options, int64_t steps, bool in_double, const std::string& out) {
  Workload w = make_workload(options);
  check_comparable(w.config);
  const double dropout = std::exchange(w.config.model.dropout, 0.0);
  w.model = make_model(w.config.model, {.seed = static_cast<uint64_t>(w.config.training.seed),
                                        .dtype = in_double ? at::kDouble : at::kFloat});
  w.config.training.epochs = 1000000;

  const fs::path folder = out;
  fs::create_directories(folder / "run");
  core::write_file_atomic(
      (folder / "init.safetensors").string(),
      core::serialize_safetensors(
          parameter_views(w.model->parameters(), w.model->parameters().flat()), {}));
  std::atomic<bool> stop = false;
  std::vector<double> losses;
  train(w, (folder / "run").string(), stop, [&](const training::StepReport& report) {
    losses.push_back(report.loss);
    stop = report.step == steps;
  });
  write_json(folder / "meta.json", describe(w, dropout));
  write_json(folder / "batches.json", first_batches(w, steps));
  write_json(folder / "losses.json", losses);
  std::printf("%s: %lld steps, loss %.4f to %.4f\n", kind_name(w.config.model.kind),
              static_cast<long long>(steps), losses.front(), losses.back());
}

// Steps until a window's seconds are over, then a line about it, then until the next line of input.
class Windows {
 public:
  Windows(const Workload& w, std::atomic<bool>& stop) : stop_(stop) {
    std::cout << json{{"kind", kind_name(w.config.model.kind)},
                      {"threads", core::automatic_threads(w.config.training.threads)},
                      {"parameters", w.model->parameters().numel()},
                      {"source_vocabulary", w.config.model.source_vocabulary},
                      {"target_vocabulary", w.config.model.target_vocabulary},
                      {"libtorch_isa", at::get_cpu_capability()}}
              << std::endl;
    begin();
  }

  void step(const training::StepReport& report) {
    ++steps_;
    // The report counts the tokens of the epoch so far.
    tokens_ += report.batch == 1 ? report.tokens : report.tokens - before_;
    before_ = report.tokens;
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    if (elapsed.count() < seconds_) return;
    std::cout << json{{"tokens_per_second", static_cast<double>(tokens_) / elapsed.count()},
                      {"steps", steps_},
                      {"loss", report.epoch_loss},
                      {"resident", peak_resident().value_or(0)}}
              << std::endl;
    begin();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void begin() {
    if (!(std::cin >> seconds_)) stop_ = true;
    tokens_ = steps_ = 0;
    start_ = Clock::now();
  }

  std::atomic<bool>& stop_;
  double seconds_ = 0.0;
  Clock::time_point start_;
  int64_t tokens_ = 0;
  int64_t steps_ = 0;
  int64_t before_ = 0;
};

void speed(const WorkloadOptions& options, const std::string& out) {
  Workload w = make_workload(options);
  w.config.training.epochs = 1000000;
  fs::create_directories(out);
  std::atomic<bool> stop = false;
  Windows windows(w, stop);
  train(w, out, stop, [&](const training::StepReport& report) { windows.step(report); });
}

void logits(const std::string& model_folder, const std::string& data, const std::string& out) {
  const LoadedModel loaded = load_model(model_folder);
  const data::Corpus corpus = data::read_pairs(data);
  const data::Dataset pairs =
      data::encode_pairs(corpus.pairs, loaded.source, loaded.target, loaded.data_config.steps);
  const data::Batch batch{pairs.source, pairs.target, {}, {}};
  c10::NoGradGuard no_grad;
  const at::Tensor values = loaded.model->logits(batch).contiguous();  // (N, V)
  fs::create_directories(out);
  json description = as_json(batch);
  description["begin_id"] = loaded.model->config().begin_id;
  description["padding_id"] = loaded.model->config().padding_id;
  write_json(fs::path(out) / "pairs.json", description);
  const std::string_view bytes(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  core::write_file_atomic(
      (fs::path(out) / "logits.safetensors").string(),
      core::serialize_safetensors({{"logits", "F32", values.sizes().vec(), bytes}}, {}));
}

int run(int argc, char** argv) {
  CLI::App app("Steps of training, to be checked and timed (see bench/peers/README.md)");
  app.require_subcommand(1);
  WorkloadOptions options;
  int64_t steps = 20;
  bool in_double = false;
  std::string out, model;
  const auto workload = [&](CLI::App* command) {
    add_workload_options(*command, options);
    command->add_option("--out", out, "Folder for what is written")->required();
  };
  CLI::App* p = app.add_subcommand("parity", "Losses of the first steps, and what led to them");
  workload(p);
  p->add_option("--steps", steps, "How many")->check(CLI::PositiveNumber)->capture_default_str();
  p->add_flag("--double", in_double, "In double precision, where rounding does not add up");
  p->callback([&] { parity(options, steps, in_double, out); });
  CLI::App* s = app.add_subcommand(
      "speed", "Reads lines, each the seconds of a window; prints a line of JSON for each");
  workload(s);
  s->callback([&] { speed(options, out); });
  CLI::App* l = app.add_subcommand("logits", "Writes pairs.json and logits.safetensors");
  l->add_option("--model", model, "A trained model's folder")->required();
  l->add_option("--data", options.data, "Pairs in columns")->required();
  l->add_option("--out", out, "Folder for what is written")->required();
  l->callback([&] { logits(model, options.data, out); });
  CLI11_PARSE(app, argc, argv);
  return 0;
}

}  // namespace
}  // namespace attend::bench

int main(int argc, char** argv) {
  return attend::bench::report_errors(attend::bench::run, argc, argv);
}
