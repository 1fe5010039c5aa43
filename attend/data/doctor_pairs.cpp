#include "attend/data/doctor_pairs.h"

#include <algorithm>
#include <cmath>

#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/data/dataset.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

constexpr int64_t kLongWords = 100;
constexpr int64_t kFewPairs = 50;          // below it, no statistics
constexpr double kWordsOfSentences = 1.5;  // a line; below, they are single words
constexpr int64_t kFewForWords = 20;       // the same, of words
constexpr double kFarRatio = 4.0;          // off the file's usual ratio of lengths
constexpr int64_t kShortText = 20;         // characters; short sides vary without a meaning
constexpr double kManyRatios = 0.02;       // of the pairs
constexpr double kLeastCorrelation = 0.3;  // of the lengths; translations have 0.8 and more
constexpr double kAllAlike = 0.01;         // variance of log lengths: nothing to correlate

/// Blanks alike, so that a no-break space makes no new sentence; case is kept.
std::string normal(std::string_view text) {
  return text::clean_line(text, {.lowercase = false, .split_punctuation = false});
}

/// Of normal text: words are one blank apart.
int64_t count_words(std::string_view text) {
  return std::count(text.begin(), text.end(), ' ') + (text.empty() ? 0 : 1);
}

/// Words as the chapter's presets take them: in lower case, marks apart.
void count(std::string_view text, std::unordered_map<uint64_t, int64_t>& words) {
  const std::string clean = text::clean_line(text, {});
  for (size_t begin = 0; begin < clean.size();) {
    const size_t end = std::min(clean.find(' ', begin), clean.size());
    ++words[core::hash_name(std::string_view(clean).substr(begin, end - begin))];
    begin = end + 1;
  }
}

/// How much of a side is words seen fewer than `min_frequency` times, and how many words a sentence
/// has.
struct Rareness {
  double share = 0.0;
  double length = 0.0;
};

Rareness rareness(const std::unordered_map<uint64_t, int64_t>& words, int64_t min_frequency,
                  size_t sentences) {
  int64_t all = 0, rare = 0;
  for (const auto& [word, count] : words) {
    all += count;
    if (count < min_frequency) rare += count;
  }
  if (all == 0) return {};
  const auto total = static_cast<double>(all);
  return {static_cast<double>(rare) / total, total / static_cast<double>(sentences)};
}

int64_t count_characters(std::string_view text) {
  return static_cast<int64_t>(core::decode_utf8(text).size());
}

}  // namespace

void PairExaminer::add(std::string_view source, std::string_view target, int64_t number,
                       std::string_view line) {
  const bool source_blank = text::is_blank_line(source);
  const bool target_blank = text::is_blank_line(target);
  if (source_blank && target_blank) return tally_.add(Kind::kBlankLine, number, line);
  if (source_blank || target_blank) return tally_.add(Kind::kBlankSide, number, line);
  const std::string from = normal(source);
  const std::string to = normal(target);
  if (from == to) tally_.add(Kind::kSameText, number, line);
  if (count_words(from) > kLongWords || count_words(to) > kLongWords)
    tally_.add(Kind::kLong, number, line);
  count(from, source_words_);
  count(to, target_words_);
  const int64_t source_length = count_characters(from);
  const int64_t target_length = count_characters(to);
  lengths_.push_back({number, std::log(static_cast<double>(source_length)),
                      std::log(static_cast<double>(target_length)),
                      std::max(source_length, target_length)});
  remember(from, to, number, line);
}

void PairExaminer::remember(std::string_view from, std::string_view to, int64_t number,
                            std::string_view line) {
  const uint64_t source = core::hash_name(from);
  const uint64_t target = core::hash_name(to);
  targets_.insert(target);
  if (!pairs_.insert(core::combine(source, target)).second)
    tally_.add(Kind::kDuplicate, number, line);
  const auto [where, added] = sources_.emplace(source, Source{target});
  if (added || where->second.several || where->second.first_target == target) return;
  where->second.several = true;
  tally_.add(Kind::kSeveralTargets, number, line);
}

void PairExaminer::finish(Findings& findings) {
  findings.pairs = static_cast<int64_t>(lengths_.size());
  findings.distinct_sources = static_cast<int64_t>(sources_.size());
  findings.distinct_targets = static_cast<int64_t>(targets_.size());
  if (findings.pairs >= kFewForWords) examine_words();
  if (findings.pairs < kFewPairs) return;
  examine_ratios();
  examine_correlation();
}

void PairExaminer::examine_ratios() {
  std::vector<double> ratios;
  ratios.reserve(lengths_.size());
  for (const Lengths& l : lengths_) ratios.push_back(l.ratio());
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  const double usual = *middle;
  const auto characters = [](double logarithm) {
    return std::to_string(std::llround(std::exp(logarithm)));
  };
  for (const Lengths& l : lengths_) {
    if (l.longer < kShortText || std::abs(l.ratio() - usual) < std::log(kFarRatio)) continue;
    tally_.add(Kind::kLengthRatio, l.line,
               characters(l.source) + " and " + characters(l.target) + " characters");
  }
  if (static_cast<double>(tally_.count(Kind::kLengthRatio)) >
      kManyRatios * static_cast<double>(lengths_.size()))
    tally_.raise(Kind::kLengthRatio, Severity::kWarning);
}

/// A side of single words, as of a dictionary or a script without blanks, is cut in characters or
/// pieces, so that words mean little.
void PairExaminer::examine_words() {
  const Rareness source = rareness(source_words_, min_frequency_, lengths_.size());
  const Rareness target = rareness(target_words_, min_frequency_, lengths_.size());
  if (std::max(source.share, target.share) < kManyUnknown) return;
  const auto percent = [](double share) {
    return std::to_string(std::llround(100 * share)) + " %";
  };
  tally_.add_remark(Kind::kRareWords, 0,
                    percent(source.share) + " of the source's words and " + percent(target.share) +
                        " of the target's are seen fewer than " + std::to_string(min_frequency_) +
                        " times");
  for (const Rareness& side : {source, target})
    if (side.share >= kManyUnknown && side.length >= kWordsOfSentences)
      tally_.raise(Kind::kRareWords, Severity::kWarning);
}

/// Pearson's correlation of the logarithms of the lengths.
void PairExaminer::examine_correlation() {
  const auto n = static_cast<double>(lengths_.size());
  double x = 0, y = 0;
  for (const Lengths& l : lengths_) x += l.source / n, y += l.target / n;
  double xx = 0, yy = 0, xy = 0;
  for (const Lengths& l : lengths_) {
    xx += (l.source - x) * (l.source - x) / n;
    yy += (l.target - y) * (l.target - y) / n;
    xy += (l.source - x) * (l.target - y) / n;
  }
  if (xx < kAllAlike || yy < kAllAlike) return;
  const double r = xy / std::sqrt(xx * yy);
  if (r >= kLeastCorrelation) return;
  tally_.add_remark(Kind::kLengthsDisagree, 0,
                    "correlation of the lengths " + std::to_string(r).substr(0, r < 0 ? 5 : 4) +
                        "; translations have 0.8 and more");
}

}  // namespace attend::data
