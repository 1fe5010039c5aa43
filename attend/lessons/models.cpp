#include "attend/lessons/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/data/dataset.h"
#include "attend/data/split.h"
#include "attend/lessons/assets.h"
#include "attend/models/model_files.h"
#include "attend/text/clean.h"
#include "attend/training/run_config.h"
#include "attend/training/trainer.h"

namespace attend::lessons {
namespace {

namespace fs = std::filesystem;

constexpr double kHeldOut = 0.1;
constexpr uint64_t kSeed = 1;
constexpr int64_t kLeastSteps = 14, kMostSteps = 64;

// The demo's settings, which suit a few thousand short pairs, for every kind.
training::RunConfig settings_for(ModelKind kind, int64_t epochs, int64_t threads) {
  training::RunConfig s;
  s.model.kind = kind;
  s.model.embedding = 64;
  s.model.hidden = 128;
  s.model.layers = kind == ModelKind::kTransformer ? 2 : 1;
  s.model.heads = 4;
  s.model.feed_forward = 256;
  s.model.dropout = 0.2;
  s.training.epochs = epochs;
  s.training.batch_size = 16;
  s.training.learning_rate = kind == ModelKind::kTransformer ? 0.001 : 0.002;
  s.training.clip = 0.1;
  s.training.seed = kSeed;
  s.training.threads = threads;
  s.training.validate_every = 0;
  return s;
}

std::vector<std::string> side(const std::vector<data::Pair>& pairs,
                              std::string data::Pair::* text) {
  std::vector<std::string> lines;
  for (const auto& pair : pairs) lines.push_back(pair.*text);
  return lines;
}

// Tokens of the longest pair and its end mark: no sentence is cut that lesson 8 calls long.
int64_t steps_for(const std::vector<data::Pair>& pairs, const text::Pipeline& source,
                  const text::Pipeline& target) {
  size_t longest = 0;
  for (const auto& pair : pairs)
    longest =
        std::max({longest, source.tokens(pair.source).size(), target.tokens(pair.target).size()});
  return std::clamp(static_cast<int64_t>(longest) + 1, kLeastSteps, kMostSteps);
}

}  // namespace

struct Models::Corpus {
  data::Split pairs;
  std::string fingerprint;  // of the pairs' text
};

struct Models::Run {
  training::RunConfig settings;
  std::string toml;
  std::shared_ptr<LoadedModel> loaded;
  data::Dataset train;

  static Run prepare(training::RunConfig settings, const std::vector<data::Pair>& pairs);
  void write_beside_weights(const std::string& folder) const;
};

Models::Run Models::Run::prepare(training::RunConfig settings,
                                 const std::vector<data::Pair>& pairs) {
  Run run{std::move(settings), "", nullptr, {}};
  const auto& text = run.settings.text;
  run.loaded = std::make_shared<LoadedModel>(LoadedModel{
      text, run.settings.data,
      text::Pipeline::build(text, text::Side::kSource, side(pairs, &data::Pair::source)),
      text::Pipeline::build(text, text::Side::kTarget, side(pairs, &data::Pair::target)), nullptr});
  const text::Pipeline &source = run.loaded->source, &target = run.loaded->target;
  run.settings.data.steps = run.loaded->data_config.steps = steps_for(pairs, source, target);
  run.toml = core::print_config(run.settings.tables());
  run.loaded->model = make_model(
      with_texts(run.settings.model, source, target, run.settings.data.steps), {.seed = kSeed});
  run.train = data::encode_pairs(pairs, source, target, run.settings.data.steps);
  return run;
}

void Models::Run::write_beside_weights(const std::string& folder) const {
  core::make_folder(folder);
  core::write_file_atomic((fs::path(folder) / "config.toml").string(), toml);
  loaded->source.save(folder);
  loaded->target.save(folder);
}

Models::Models(Options options) : options_(std::move(options)) {}
Models::~Models() = default;

std::string kind_name(ModelKind kind) {
  if (kind == ModelKind::kGru) return "gru";
  return kind == ModelKind::kBahdanau ? "bahdanau" : "transformer";
}

const Models::Corpus& Models::corpus() {
  if (corpus_) return *corpus_;
  data::Corpus read = options_.data.empty() ? data::parse_pairs(asset("eng-fra"), "the phrasebook")
                                            : data::read_pairs(options_.data);
  if (options_.note && (read.report.left_out() > 0 || read.report.mended.count > 0))
    options_.note(read.report.text());
  const std::string fingerprint = core::fingerprint(data::pairs_text(read.pairs));
  const auto key = [](std::string_view line) { return text::clean_line(line, {true, true}); };
  corpus_ = std::make_unique<Corpus>(
      Corpus{data::split_by_source(std::move(read.pairs), kHeldOut, kSeed, key), fingerprint});
  return *corpus_;
}

const std::vector<data::Pair>& Models::train_pairs() { return corpus().pairs.train; }
const std::vector<data::Pair>& Models::held_out_pairs() { return corpus().pairs.held_out; }

std::shared_ptr<const LoadedModel> Models::trained(ModelKind kind) {
  auto& kept = trained_[kind];
  if (kept) return kept;
  if (!options_.model.empty()) {
    auto given = std::make_shared<LoadedModel>(load_model(options_.model));
    if (given->model->config().kind == kind) {
      used_given_ = true;
      return kept = given;
    }
  }
  return kept = train(
             Run::prepare(settings_for(kind, options_.epochs, options_.threads), train_pairs()));
}

std::shared_ptr<const LoadedModel> Models::trained_transformer(EmbeddingInit init) {
  auto& kept = begun_[init];
  if (!kept) {
    auto settings = settings_for(ModelKind::kTransformer, options_.epochs, options_.threads);
    settings.model.embedding_init = init;
    kept = train(Run::prepare(std::move(settings), train_pairs()));
  }
  return kept;
}

std::shared_ptr<const LoadedModel> Models::untrained_transformer(EmbeddingInit init) {
  auto settings = settings_for(ModelKind::kTransformer, options_.epochs, options_.threads);
  settings.model.embedding_init = init;
  return Run::prepare(std::move(settings), train_pairs()).loaded;
}

std::shared_ptr<const LoadedModel> Models::train(Run run) {
  const ModelKind kind = run.settings.model.kind;
  // Another text or other settings are another folder.
  const std::string folder =
      (fs::path(options_.folder) /
       (kind_name(kind) + "-" + core::fingerprint(run.toml + corpus().fingerprint).substr(0, 8)))
          .string();
  run.write_beside_weights(folder);
  training::TrainerCallbacks callbacks;
  callbacks.on_step = [&](const training::StepReport& r) {
    if (options_.progress)
      options_.progress(fmt::format("training the {} model: epoch {} of {}, loss {:.3f}",
                                    kind_name(kind), r.epoch, r.epochs, r.epoch_loss));
  };
  const auto result =
      training::train(*run.loaded->model, run.settings.training, {.train = &run.train},
                      {.folder = folder,
                       .identity = identify(run.loaded->source, run.loaded->target, run.toml),
                       .resume = fs::exists(fs::path(folder) / "checkpoint.safetensors"),
                       .stop = options_.stop},
                      callbacks);
  if (result.end == training::TrainingResult::End::kStopped)
    throw DataError(folder, "training was stopped; the next run goes on from there");
  return run.loaded;
}

void Models::watch(
    ModelKind kind, int64_t epochs,
    const std::function<void(std::shared_ptr<const LoadedModel>, int64_t epoch)>& look) {
  training::RunConfig settings = settings_for(kind, epochs, options_.threads);
  settings.training.validate_every = 1;
  Run run = Run::prepare(std::move(settings), train_pairs());
  const std::string folder = (fs::path(options_.folder) / ("watched-" + kind_name(kind))).string();
  run.write_beside_weights(folder);
  int64_t epoch = 0;
  look(run.loaded, epoch);
  training::TrainerCallbacks callbacks;
  callbacks.decode = [&](const Seq2Seq&) {
    look(run.loaded, ++epoch);
    if (options_.progress)
      options_.progress(fmt::format("training the {} model, watched: epoch {} of {}",
                                    kind_name(kind), epoch, epochs));
    return training::DecodedValidation{};
  };
  const auto result =
      training::train(*run.loaded->model, run.settings.training, {.train = &run.train},
                      {.folder = folder,
                       .identity = identify(run.loaded->source, run.loaded->target, run.toml),
                       .resume = false,
                       .stop = options_.stop},
                      callbacks);
  if (result.end == training::TrainingResult::End::kStopped)
    throw DataError(folder, "training was stopped");
}

}  // namespace attend::lessons
