#include "attend/models/init_model.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "attend/core/config_lines.h"
#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/models/weights_folder.h"

namespace attend {
namespace {

// How vocabularies are made, which --init does not do, how weights begin, and what training drops.
constexpr std::array<std::string_view, 7> kMayDiffer = {
    "text.min_frequency", "text.max_vocabulary",     "text.source_spm",     "text.target_spm",
    "model.dropout",      "text.character_coverage", "model.embedding_init"};

bool is_any(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Keys that this model makes no use of: presets carry them along.
bool is_idle(std::string_view key, const InitTables& run) {
  const bool spaces = run.text.source_tokeniser == text::TokeniserKind::kSpace ||
                      run.text.target_tokeniser == text::TokeniserKind::kSpace;
  if (key == "text.split_punctuation") return !spaces;
  if (run.model.kind == ModelKind::kTransformer) return key == "model.embedding";
  return is_any(key, {"model.heads", "model.feed_forward"});
}

// Two ways to write the same.
ModelConfig spelled_out(ModelConfig config) {
  if (config.kind == ModelKind::kBahdanau)
    config.score = config.score.value_or(ScoreKind::kAdditive);
  if (config.kind == ModelKind::kTransformer) {
    config.score = config.score.value_or(ScoreKind::kScaledDot);
    if (config.key_value_heads == 0) config.key_value_heads = config.heads;
  }
  return config;
}

std::string lines_of(const InitTables& tables) {
  std::string lines = identity_lines({tables.text, {}, spelled_out(tables.model)});
  if (tables.model.positions == PositionKind::kLearned)  // a row for each position
    lines += "data.steps = " + std::to_string(tables.steps) + "\n";
  return lines;
}

void check_rows(const char* side, const std::string& path, const std::string& stored_hash,
                int64_t stored_entries, const text::Pipeline& present) {
  if (stored_hash == present.hash()) return;
  throw DataError(path, std::string("its weights belong to another ") + side +
                            " vocabulary: rows are joined by id, and theirs has " +
                            std::to_string(stored_entries) + " entries, this one " +
                            std::to_string(present.vocabulary_size()) +
                            ", in another order or with other words; read it from that folder");
}

}  // namespace

InitTables read_init_tables(const std::string& folder) {
  require_folder(folder);
  const std::string path = folder + "/config.toml";
  const FolderConfig config = read_folder_config(core::read_text_file(path), path);
  return {config.text, config.model, config.data.steps};
}

void check_init(const std::string& folder, const InitTables& run) {
  std::string refused;
  for (const auto& d :
       core::config_differences(lines_of(read_init_tables(folder)), lines_of(run))) {
    if (std::find(kMayDiffer.begin(), kMayDiffer.end(), d.key) != kMayDiffer.end()) continue;
    if (is_idle(d.key, run)) continue;
    refused += " " + d.key + " = " + d.stored + " (this run has " +
               (d.present.empty() ? "none" : d.present) + ")";
  }
  if (!refused.empty())
    throw DataError(folder, "its weights are those of another kind of model:" + refused +
                                "; take these settings, or none of [text] and [model]");
}

std::string load_weights_into(const std::string& folder, Seq2Seq& model,
                              const text::TextConfig& text, const text::Pipeline& source,
                              const text::Pipeline& target) {
  check_init(folder, {text, model.config(), model.config().longest});
  const InitTables own = read_init_tables(folder);
  const WeightsFile file(folder);
  FolderConfig config{own.text, {}, own.model};
  const ModelIdentity present{identity_lines(config), file.identity.source_hash,
                              file.identity.target_hash, file.identity.source_entries,
                              file.identity.target_entries};
  check_identity(file.identity, present, file.path, "", "");  // config.toml is that of the weights
  check_rows("source", file.path, file.identity.source_hash, file.identity.source_entries, source);
  check_rows("target", file.path, file.identity.target_hash, file.identity.target_entries, target);
  return file.copy_into(model.parameters());
}

}  // namespace attend
