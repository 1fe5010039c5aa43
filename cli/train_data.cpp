#include "cli/train_data.h"

#include <fmt/format.h>

#include "attend/core/errors.h"
#include "attend/data/split.h"
#include "attend/text/clean.h"

namespace attend::cli {
namespace {

constexpr size_t kSamples = 3;

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

data::Split split(const RunConfig& config, std::vector<data::Pair> pairs,
                  const std::function<void(const std::string&)>& note) {
  const auto key = [&](std::string_view line) {
    return text::clean_line(line, {config.text.lowercase, config.text.split_punctuation});
  };
  const auto seed = static_cast<uint64_t>(config.training.seed);
  data::Corpus held_out = data::read_validation(config.data);
  if (held_out.pairs.empty())
    return data::split_by_source(std::move(pairs), config.data.valid_share, seed, key);
  tell("held-out pairs", held_out.report.text(), note);
  std::vector<data::Pair> clean = data::unseen(held_out.pairs, pairs, key);
  if (clean.size() < held_out.pairs.size())
    note(
        fmt::format("held-out pairs: {} of {} have a source that is also trained on; the loss and "
                    "the samples still use all of them",
                    held_out.pairs.size() - clean.size(), held_out.pairs.size()));
  return {std::move(pairs), std::move(held_out.pairs)};
}

}  // namespace

TrainData read_train_data(const RunConfig& config, const std::string& folder,
                          const std::function<void(const std::string&)>& note) {
  data::Corpus corpus =
      data::read_training(config.data, static_cast<uint64_t>(config.training.seed));
  tell("pairs", corpus.report.text(), note);
  data::Split parts = split(config, std::move(corpus.pairs), note);

  const auto pipeline = [&](text::Side which) {
    return folder.empty() ? text::Pipeline::build(config.text, which, side(parts.train, which))
                          : text::Pipeline::load(config.text, which, folder);
  };
  TrainData result{pipeline(text::Side::kSource), pipeline(text::Side::kTarget), {}, {}, {}, {}};
  result.train = data::encode_pairs(parts.train, result.source, result.target, config.data.steps);
  result.held_out =
      data::encode_pairs(parts.held_out, result.source, result.target, config.data.steps);
  result.samples = choose_samples(parts.held_out.empty() ? parts.train : parts.held_out);
  tell("training pairs", result.train.report.text(), note);
  tell("held-out pairs", result.held_out.report.text(), note);
  result.held_out_pairs = std::move(parts.held_out);
  return result;
}

}  // namespace attend::cli
