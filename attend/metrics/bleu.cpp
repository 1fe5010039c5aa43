#include "attend/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/lower_case.h"
#include "attend/metrics/hints.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/tokenise_rules.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

// sacreBLEU's logarithm of 0: finite, so that a sum of logarithms stays a number.
double floored_log(double x) { return x == 0.0 ? -9999999999.0 : std::log(x); }

std::u32string prepare(std::string_view sentence, const BleuOptions& options) {
  std::u32string text = decode(sentence);
  if (options.lowercase) text = core::lower_case(text);
  return tokenise_points(options.tokenizer, strip_right(text));
}

// The length closest to `length`, the shorter of two as close.
int64_t closest_length(int64_t length, const std::vector<int64_t>& candidates) {
  return *std::min_element(candidates.begin(), candidates.end(), [&](int64_t a, int64_t b) {
    return std::pair(std::abs(a - length), a) < std::pair(std::abs(b - length), b);
  });
}

double brevity_penalty(int64_t hypothesis, int64_t reference) {
  if (hypothesis >= reference) return 1.0;
  if (hypothesis == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(reference) / static_cast<double>(hypothesis));
}

// Fills score.precisions and returns N: the orders to take the mean over.
size_t smooth_precisions(BleuScore& score, const BleuOptions& options) {
  const double value = smoothing_value(options);
  double halving = 1.0;
  size_t orders = score.precisions.size();
  for (size_t n = 0; n < score.precisions.size(); ++n) {
    auto matches = static_cast<double>(score.matches[n]);
    auto total = static_cast<double>(score.totals[n]);
    if (options.smoothing == Smoothing::kAddK && n > 0) {
      matches += value;
      total += value;
    }
    if (total == 0.0) break;  // all hypotheses are shorter than n + 1 tokens
    if (options.effective_order) orders = n + 1;
    if (matches > 0.0) {
      score.precisions[n] = 100.0 * matches / total;
    } else if (options.smoothing == Smoothing::kExp) {
      halving *= 2.0;
      score.precisions[n] = 100.0 / (halving * total);
    } else if (options.smoothing == Smoothing::kFloor) {
      score.precisions[n] = 100.0 * value / total;
    }
  }
  return orders;
}

}  // namespace

double BleuScore::ratio() const {
  if (reference_length == 0) return 0.0;
  return static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
}

Statistics bleu_statistics(const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const BleuOptions& options) {
  check_corpus("bleu", hypotheses, references);
  check_options(options);
  Statistics statistics;
  statistics.width = 2 + 2 * options.max_order;
  statistics.values.reserve(hypotheses.size() * static_cast<size_t>(statistics.width));
  WordNumbers words;
  NgramMatcher matcher(options.max_order);
  std::vector<int64_t> reference_lengths(references.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    matcher.clear();
    for (size_t r = 0; r < references.size(); ++r) {
      const std::vector<uint32_t> tokens = words.number(prepare(references[r][i], options));
      reference_lengths[r] = static_cast<int64_t>(tokens.size());
      matcher.add_reference(tokens);
    }
    const std::vector<uint32_t> tokens = words.number(prepare(hypotheses[i], options));
    const auto length = static_cast<int64_t>(tokens.size());
    std::vector<int64_t>& out = statistics.values;
    out.push_back(length);
    out.push_back(closest_length(length, reference_lengths));
    for (const int64_t matches : matcher.matches(tokens)) out.push_back(matches);
    for (int n = 1; n <= options.max_order; ++n) out.push_back(ngram_count(length, n));
  }
  return statistics;
}

BleuScore bleu_of(std::span<const int64_t> sum, const BleuOptions& options) {
  check_options(options);
  const auto orders = static_cast<size_t>(options.max_order);
  if (sum.size() != 2 + 2 * orders) {
    throw InvalidArgument("[bleu] expected " + std::to_string(2 + 2 * orders) +
                          " counts for max_order " + std::to_string(orders) + ", found " +
                          std::to_string(sum.size()));
  }
  BleuScore result;
  result.hypothesis_length = sum[0];
  result.reference_length = sum[1];
  result.matches.assign(sum.begin() + 2, sum.begin() + 2 + options.max_order);
  result.totals.assign(sum.begin() + 2 + options.max_order, sum.end());
  result.precisions.assign(orders, 0.0);
  result.brevity_penalty = brevity_penalty(sum[0], sum[1]);
  const auto is_positive = [](int64_t count) { return count > 0; };
  if (std::none_of(result.matches.begin(), result.matches.end(), is_positive)) return result;

  const size_t counted = smooth_precisions(result, options);
  double log_sum = 0.0;
  for (size_t n = 0; n < counted; ++n) log_sum += floored_log(result.precisions[n]);
  result.score = result.brevity_penalty * std::exp(log_sum / static_cast<double>(counted));
  return result;
}

Scorer bleu_scorer(const BleuOptions& options) {
  check_options(options);
  return [options](std::span<const int64_t> sum) { return bleu_of(sum, options).score; };
}

BleuScore corpus_bleu_multi(const std::vector<std::string>& hypotheses,
                            const std::vector<std::vector<std::string>>& references,
                            const BleuOptions& options) {
  BleuScore result = bleu_of(bleu_statistics(hypotheses, references, options).total(), options);
  result.hints = bleu_hints(hypotheses, result, options);
  return result;
}

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::string>& references, const BleuOptions& options) {
  return corpus_bleu_multi(hypotheses, {references}, options);
}

BleuScore sentence_bleu(std::string_view hypothesis, const std::vector<std::string>& references,
                        const BleuOptions& options) {
  std::vector<std::vector<std::string>> lists;
  lists.reserve(references.size());
  for (const std::string& reference : references) lists.push_back({reference});
  return corpus_bleu_multi({std::string(hypothesis)}, lists, options);
}

}  // namespace attend::metrics
