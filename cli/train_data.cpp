#include "cli/train_data.h"

#include <fmt/format.h>

#include <chrono>

#include "attend/core/errors.h"
#include "attend/data/doctor.h"
#include "attend/data/split.h"
#include "attend/text/clean.h"
#include "cli/console.h"

namespace attend::cli {
namespace {

constexpr size_t kSamples = 3;
constexpr size_t kManyLines = 100000;  // for SentencePiece: a quarter of a minute

std::vector<std::string> side(const std::vector<data::Pair>& pairs, text::Side which) {
  std::vector<std::string> lines;
  lines.reserve(pairs.size());
  for (const auto& pair : pairs)
    lines.push_back(which == text::Side::kSource ? pair.source : pair.target);
  return lines;
}

// Spread evenly, so that short and long ones are among them.
std::vector<data::Pair> choose_samples(const std::vector<data::Pair>& pairs) {
  std::vector<data::Pair> chosen;
  const size_t count = std::min(kSamples, pairs.size());
  for (size_t i = 0; i < count; ++i)
    chosen.push_back(pairs[(2 * i + 1) * pairs.size() / (2 * count)]);
  return chosen;
}

void tell(const std::string& what, const std::string& text,
          const std::function<void(const std::string&)>& note) {
  if (!text.empty()) note(what + ": " + text);
}

// What the doctor would warn of.
void tell_of_care(const std::string& what, const data::Corpus& corpus,
                  const std::function<void(const std::string&)>& note) {
  const std::string text = data::care_text(corpus);
  if (!text.empty())
    note(fmt::format("{}: some need care: {}; `attend doctor` explains each", what, text));
}

// A side whose training words are mostly unknown: what is learned is to write the unknown word.
void warn_of_lost_words(const text::TextConfig& config, const std::string& folder,
                        const TrainData& data,
                        const std::function<void(const std::string&)>& warn) {
  const auto judge = [&](const char* side, const text::Pipeline& pipeline, int64_t unknown,
                         int64_t tokens) {
    const double share =
        tokens > 0 ? static_cast<double>(unknown) / static_cast<double>(tokens) : 0;
    if (share < data::kManyUnknown || pipeline.tokeniser() == text::TokeniserKind::kSentencePiece)
      return;
    const bool full =
        config.max_vocabulary > 0 && pipeline.vocabulary_size() >= config.max_vocabulary;
    const std::string why = !folder.empty() ? "the vocabulary of " + folder + " lacks them"
                            : full
                                ? fmt::format("the vocabulary is full at text.max_vocabulary = {}",
                                              config.max_vocabulary)
                                : fmt::format(
                                      "they are seen fewer than text.min_frequency = {} times "
                                      "(--set text.min_frequency=1 keeps all)",
                                      config.min_frequency);
    warn(fmt::format(
        "attend: {:.0f} % of the {} tokens that are trained on are the unknown word: {}",
        100 * share, side, why));
  };
  const auto& train = data.train;
  judge("source", data.source, train.report.unknown_source_tokens,
        train.source.tokens() - train.size());
  judge("target", data.target, train.report.unknown_target_tokens,
        train.target.tokens() - train.size());
}

data::Split split(const RunConfig& config, std::vector<data::Pair> pairs,
                  const std::function<void(const std::string&)>& note) {
  const auto key = [&](std::string_view line) {
    return text::clean_line(line, text::clean_options(config.text));
  };
  const auto seed = static_cast<uint64_t>(config.training.seed);
  data::Corpus held_out = data::read_validation(config.data);
  if (held_out.pairs.empty())
    return data::split_by_source(std::move(pairs), config.data.valid_share, seed, key);
  tell("held-out pairs", held_out.report.text(), note);
  tell_of_care("held-out pairs", held_out, note);
  std::vector<data::Pair> clean = data::unseen(held_out.pairs, pairs, key);
  if (clean.size() < held_out.pairs.size())
    note(
        fmt::format("held-out pairs: {} of {} have a source that is also trained on; the loss and "
                    "the samples still use all of them",
                    held_out.pairs.size() - clean.size(), held_out.pairs.size()));
  return {std::move(pairs), std::move(held_out.pairs)};
}

// Learning pieces takes its time, so it says what it does.
text::Pipeline build_pipeline(const RunConfig& config, text::Side which,
                              const std::vector<std::string>& lines,
                              const std::function<void(const std::string&)>& note) {
  const bool source = which == text::Side::kSource;
  const auto kind = source ? config.text.source_tokeniser : config.text.target_tokeniser;
  const std::string& given = source ? config.text.source_spm : config.text.target_spm;
  const char* side = source ? "source" : "target";
  const bool learns = kind == text::TokeniserKind::kSentencePiece && given.empty();
  if (learns)
    note(fmt::format("{}: learning pieces from {} lines{} ...", side, lines.size(),
                     lines.size() >= kManyLines ? ", which may take minutes" : ""));
  const auto begin = std::chrono::steady_clock::now();
  text::Pipeline pipeline = text::Pipeline::build(config.text, which, lines);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (learns)
    note(fmt::format("{}: {} pieces in {}", side, pipeline.vocabulary_size(),
                     duration_text(seconds)));
  return pipeline;
}

// From cut targets only no model learns where to end.
void tell_of_cut_targets(const data::Dataset& train, int64_t steps,
                         const std::function<void(const std::string&)>& warn) {
  const int64_t cut = train.report.cut_target.count;
  if (2 * cut < train.size() || cut == 0) return;
  warn(fmt::format(
      "attend: {} of {} targets are longer than data.steps = {} and so have no end mark: the "
      "model will hardly learn where a translation ends. data.steps = {} has all of "
      "them whole",
      cut, train.size(), steps, train.report.longest_target));
}

}  // namespace

TrainData read_train_data(const RunConfig& config, const std::string& folder,
                          const std::function<void(const std::string&)>& note,
                          const std::function<void(const std::string&)>& warn) {
  data::Corpus corpus =
      data::read_training(config.data, static_cast<uint64_t>(config.training.seed));
  tell("pairs", corpus.report.text(), note);
  tell_of_care("pairs", corpus, note);
  data::Split parts = split(config, std::move(corpus.pairs), note);

  const auto pipeline = [&](text::Side which) {
    return folder.empty() ? build_pipeline(config, which, side(parts.train, which), note)
                          : text::Pipeline::load(config.text, which, folder);
  };
  TrainData result{pipeline(text::Side::kSource), pipeline(text::Side::kTarget), {}, {}, {}, {}};
  result.not_taken = corpus.report.not_taken;
  result.train = data::encode_pairs(parts.train, result.source, result.target, config.data.steps);
  result.held_out =
      data::encode_pairs(parts.held_out, result.source, result.target, config.data.steps);
  result.samples = choose_samples(parts.held_out.empty() ? parts.train : parts.held_out);
  tell("training pairs", result.train.report.text(), note);
  tell("held-out pairs", result.held_out.report.text(), note);
  tell_of_cut_targets(result.train, config.data.steps, warn);
  warn_of_lost_words(config.text, folder, result, warn);
  result.held_out_pairs = std::move(parts.held_out);
  return result;
}

}  // namespace attend::cli
