#include "attend/metrics/chrf.h"

#include <algorithm>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/lower_case.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

constexpr double kEpsilon = 1e-16;

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Words, with one mark of punctuation apart at the end, else at the beginning ("(hi)" gives "(hi"
// and
// ")": that is chrF++.py's and sacreBLEU's).
std::vector<std::u32string_view> words_of(std::u32string_view line) {
  std::vector<std::u32string_view> words;
  for (const std::u32string_view word : split(line)) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

// Both readings of a sentence.
struct Reading {
  std::vector<uint32_t> characters;
  std::vector<uint32_t> words;
};

class Reader {
 public:
  explicit Reader(const ChrfOptions& options)
      : options_(options),
        character_matcher_(options.character_order),
        word_matcher_(std::max(options.word_order, 1)) {}

  Reading read(std::string_view sentence) {
    std::u32string text = decode(sentence);
    if (options_.lowercase) text = core::lower_case(text);
    Reading reading;
    reading.characters.reserve(text.size());
    for (const char32_t c : text) {
      if (options_.keep_blanks || !is_space(c)) reading.characters.push_back(c);
    }
    if (options_.word_order > 0) reading.words = numbers_.number(words_of(text));
    return reading;
  }

  // A row of statistics.
  std::vector<int64_t> compare(const Reading& hypothesis, const Reading& reference) {
    std::vector<int64_t> row;
    append(row, character_matcher_, options_.character_order, hypothesis.characters,
           reference.characters);
    if (options_.word_order > 0) {
      append(row, word_matcher_, options_.word_order, hypothesis.words, reference.words);
    }
    return row;
  }

 private:
  static void append(std::vector<int64_t>& row, NgramMatcher& matcher, int orders,
                     const std::vector<uint32_t>& hypothesis,
                     const std::vector<uint32_t>& reference) {
    matcher.clear();
    matcher.add_reference(reference);
    const std::vector<int64_t> matches = matcher.matches(hypothesis);
    for (int n = 1; n <= orders; ++n) {
      const int64_t in_reference = ngram_count(static_cast<int64_t>(reference.size()), n);
      const int64_t in_hypothesis = ngram_count(static_cast<int64_t>(hypothesis.size()), n);
      // An order that the reference lacks is left out of the hypothesis's precision too.
      row.push_back(in_reference > 0 ? in_hypothesis : 0);
      row.push_back(in_reference);
      row.push_back(matches[static_cast<size_t>(n - 1)]);
    }
  }

  ChrfOptions options_;
  WordNumbers numbers_;
  NgramMatcher character_matcher_;
  NgramMatcher word_matcher_;
};

// Counts in a row.
int64_t width_of(const ChrfOptions& options) {
  return int64_t{3} * (options.character_order + options.word_order);
}

double share(int64_t matches, int64_t of) {
  return of > 0 ? static_cast<double>(matches) / static_cast<double>(of) : kEpsilon;
}

double f_score(double precision, double recall, double factor, double otherwise) {
  const double denominator = factor * precision + recall;
  return denominator > 0.0 ? (1.0 + factor) * precision * recall / denominator : otherwise;
}

double chrf_score(std::span<const int64_t> sum, const ChrfOptions& options) {
  const double factor = static_cast<double>(options.beta) * options.beta;
  double f_sum = 0.0, precision_sum = 0.0, recall_sum = 0.0;
  int64_t present = 0;
  for (size_t i = 0; i < sum.size(); i += 3) {
    const double precision = share(sum[i + 2], sum[i]);
    const double recall = share(sum[i + 2], sum[i + 1]);
    f_sum += f_score(precision, recall, factor, kEpsilon);
    if (sum[i] > 0 && sum[i + 1] > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++present;
    }
  }
  if (options.epsilon_smoothing) return 100.0 * f_sum / (static_cast<double>(sum.size()) / 3.0);
  if (present == 0) return 0.0;
  const auto orders = static_cast<double>(present);
  return 100.0 * f_score(precision_sum / orders, recall_sum / orders, factor, 0.0);
}

void check_range(std::string_view name, int value, int low) {
  if (value >= low && value <= 100) return;
  throw InvalidArgument("[chrf] expected " + std::string(name) + " from " + std::to_string(low) +
                        " to 100, found " + std::to_string(value));
}

}  // namespace

void check_options(const ChrfOptions& options) {
  check_range("character_order", options.character_order, 1);
  check_range("word_order", options.word_order, 0);
  check_range("beta", options.beta, 1);
}

Statistics chrf_statistics(const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const ChrfOptions& options) {
  check_corpus("chrf", hypotheses, references);
  check_options(options);
  Statistics statistics;
  statistics.width = width_of(options);
  Reader reader(options);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Reading hypothesis = reader.read(hypotheses[i]);
    std::vector<int64_t> best;
    double best_score = -1.0;
    for (const std::vector<std::string>& list : references) {
      std::vector<int64_t> row = reader.compare(hypothesis, reader.read(list[i]));
      const double score = chrf_score(row, options);
      if (score <= best_score) continue;
      best_score = score;
      best = std::move(row);
    }
    statistics.values.insert(statistics.values.end(), best.begin(), best.end());
  }
  return statistics;
}

ChrfScore chrf_of(std::span<const int64_t> sum, const ChrfOptions& options) {
  check_options(options);
  if (static_cast<int64_t>(sum.size()) != width_of(options)) {
    throw InvalidArgument("[chrf] expected " + std::to_string(width_of(options)) +
                          " counts, found " + std::to_string(sum.size()));
  }
  ChrfScore result;
  result.name = "chrF" + std::to_string(options.beta) +
                std::string(static_cast<size_t>(options.word_order), '+');
  result.score = chrf_score(sum, options);
  return result;
}

Scorer chrf_scorer(const ChrfOptions& options) {
  check_options(options);
  return [options](std::span<const int64_t> sum) { return chrf_of(sum, options).score; };
}

ChrfScore corpus_chrf_multi(const std::vector<std::string>& hypotheses,
                            const std::vector<std::vector<std::string>>& references,
                            const ChrfOptions& options) {
  return chrf_of(chrf_statistics(hypotheses, references, options).total(), options);
}

ChrfScore corpus_chrf(const std::vector<std::string>& hypotheses,
                      const std::vector<std::string>& references, const ChrfOptions& options) {
  return corpus_chrf_multi(hypotheses, {references}, options);
}

ChrfScore sentence_chrf(std::string_view hypothesis, const std::vector<std::string>& references,
                        const ChrfOptions& options) {
  std::vector<std::vector<std::string>> lists;
  lists.reserve(references.size());
  for (const std::string& reference : references) lists.push_back({reference});
  return corpus_chrf_multi({std::string(hypothesis)}, lists, options);
}

}  // namespace attend::metrics
