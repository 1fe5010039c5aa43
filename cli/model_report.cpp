#include "cli/model_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/core/config_lines.h"
#include "attend/training/metrics_log.h"
#include "cli/parameter_tree.h"
#include "cli/run_config.h"

namespace attend::cli {
namespace {

constexpr int64_t kTokensShown = 24;

const char* cells_text(CellKind cell) {
  switch (cell) {
    case CellKind::kRnn:
      return "simple recurrent units";
    case CellKind::kLstm:
      return "LSTM units";
    case CellKind::kGru:
      return "gated recurrent units";
  }
  return "";
}

const char* score_text(ScoreKind score) {
  switch (score) {
    case ScoreKind::kAdditive:
      return "additive";
    case ScoreKind::kDot:
      return "dot-product";
    case ScoreKind::kScaledDot:
      return "scaled dot-product";
    case ScoreKind::kBilinear:
      return "bilinear";
    case ScoreKind::kCosine:
      return "cosine";
    case ScoreKind::kGaussian:
      return "Gaussian";
  }
  return "";
}

const char* normaliser_text(Normaliser normaliser) {
  switch (normaliser) {
    case Normaliser::kSoftmax:
      return "";
    case Normaliser::kSparsemax:
      return ", sparsemax";
    case Normaliser::kNone:
      return ", not normalised";
  }
  return "";
}

std::string kind_text(const ModelConfig& config) {
  switch (config.kind) {
    case ModelKind::kGru:
      return fmt::format("gru: encoder and decoder of {}{}, without attention",
                         cells_text(config.cell),
                         config.bidirectional ? ", the encoder both ways" : "");
    case ModelKind::kBahdanau:
      return fmt::format("bahdanau: {}{} with {} attention{}", cells_text(config.cell),
                         config.bidirectional ? ", the encoder both ways," : "",
                         score_text(config.score.value_or(ScoreKind::kAdditive)),
                         normaliser_text(config.normaliser));
    case ModelKind::kTransformer:
      return "transformer: attention alone, with several heads";
  }
  return "";
}

const char* tokeniser_text(text::TokeniserKind kind) {
  switch (kind) {
    case text::TokeniserKind::kSpace:
      return "space";
    case text::TokeniserKind::kWord:
      return "word";
    case text::TokeniserKind::kCharacter:
      return "character";
    case text::TokeniserKind::kSentencePiece:
      return "sentencepiece";
  }
  return "";
}

std::vector<std::string> first_tokens(const text::Pipeline& pipeline) {
  std::vector<int32_t> ids;
  for (int64_t id = 0; id < std::min(kTokensShown, pipeline.vocabulary_size()); ++id)
    ids.push_back(static_cast<int32_t>(id));
  return pipeline.tokens_of(ids);
}

std::string vocabulary_text(const char* side, const text::Pipeline& pipeline) {
  std::string tokens;
  for (const auto& token : first_tokens(pipeline)) tokens += " " + token;
  if (pipeline.vocabulary_size() > kTokensShown) tokens += " ...";
  return fmt::format("{}: {} entries, {} tokeniser\n {}\n", side,
                     grouped(pipeline.vocabulary_size()), tokeniser_text(pipeline.tokeniser()),
                     tokens);
}

std::vector<training::EpochRecord> history(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "metrics.jsonl").string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  return training::read_metrics(path);
}

std::string training_text(const std::vector<training::EpochRecord>& epochs) {
  if (epochs.empty()) return "";
  const training::EpochRecord& last = epochs.back();
  std::string text = fmt::format("trained: {} {}, {} steps", last.epoch,
                                 last.epoch == 1 ? "epoch" : "epochs", grouped(last.step));
  if (last.train_loss) text += fmt::format(", training loss {:.4f}", *last.train_loss);
  for (auto record = epochs.rbegin(); record != epochs.rend(); ++record)
    if (record->valid_loss)
      return text + fmt::format(", held-out loss {:.4f} after epoch {}\n", *record->valid_loss,
                                record->epoch);
  return text + "\n";
}

// The tables of the folder's config.toml, with those that the model itself has no use for.
std::string configuration_lines(const std::string& folder) {
  RunConfig config;
  config.text = text::stored_defaults();
  read_run_config((std::filesystem::path(folder) / "config.toml").string(), config);
  return core::config_lines(config.tables());
}

int64_t weight_bytes(const LoadedModel& loaded) {
  return loaded.model->parameters().numel() *
         static_cast<int64_t>(loaded.model->parameters().flat().element_size());
}

nlohmann::ordered_json vocabulary_json(const text::Pipeline& pipeline) {
  return {{"entries", pipeline.vocabulary_size()},
          {"tokeniser", tokeniser_text(pipeline.tokeniser())},
          {"hash", pipeline.hash()},
          {"first", first_tokens(pipeline)}};
}

nlohmann::ordered_json configuration_json(const std::string& lines) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  size_t begin = 0;
  while (begin < lines.size()) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    // TOML's numbers, booleans and basic strings are JSON's too, but for inf and nan.
    auto value = nlohmann::ordered_json::parse(line.substr(equals + 3), nullptr, false);
    json[line.substr(0, equals)] =
        value.is_discarded() ? nlohmann::ordered_json(line.substr(equals + 3)) : value;
  }
  return json;
}

}  // namespace

std::string model_text(const LoadedModel& loaded, const std::string& folder) {
  std::string text = fmt::format(
      "{}\n{} parameters, {:.1f} MB; reads up to {} tokens, the end mark "
      "included\n",
      kind_text(loaded.model->config()), grouped(loaded.model->parameters().numel()),
      static_cast<double>(weight_bytes(loaded)) / 1e6, loaded.data_config.steps);
  text += training_text(history(folder));
  text += "\nParameters\n" + parameter_tree(loaded.model->parameters());
  text += "\nVocabularies\n" + vocabulary_text("source", loaded.source) +
          vocabulary_text("target", loaded.target);
  text += "\nConfiguration (" + folder + "/config.toml explains each key)\n" +
          configuration_lines(folder);
  return text;
}

std::string model_json(const LoadedModel& loaded, const std::string& folder) {
  auto parameters = nlohmann::ordered_json::array();
  for (const auto& slot : loaded.model->parameters().slots())
    parameters.push_back({{"name", slot->name}, {"shape", slot->shape}, {"count", slot->numel}});
  nlohmann::ordered_json json = {{"folder", folder},
                                 {"parameters", loaded.model->parameters().numel()},
                                 {"bytes", weight_bytes(loaded)},
                                 {"steps", loaded.data_config.steps},
                                 {"tensors", parameters},
                                 {"source", vocabulary_json(loaded.source)},
                                 {"target", vocabulary_json(loaded.target)},
                                 {"config", configuration_json(configuration_lines(folder))}};
  if (const auto epochs = history(folder); !epochs.empty())
    json["trained"] = nlohmann::ordered_json::parse(training::metrics_line(epochs.back()));
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace attend::cli
