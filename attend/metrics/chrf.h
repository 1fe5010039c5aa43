// chrF (Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation") and chrF++
// (Popović 2017, which adds words), equal to sacreBLEU's to rounding, from 0 to 100:
//
//   chrF_b = 100 (1 + b^2) P R / (b^2 P + R)
//
// P and R are the means, over the orders that both sides have, of the shares of n-grams matched: of
// the hypothesis's and of the reference's. Character n-grams of 1 to 6, without blanks; chrF++ adds
// word n-grams of 1 and 2, punctuation at a word's end apart. With several references a sentence
// takes the one it scores best with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics/statistics.h"

namespace attend::metrics {

/// The defaults are sacreBLEU's chrF2; word_order = 2 makes it chrF2++.
struct ChrfOptions {
  int character_order = 6;  ///< longest n-gram of characters, 1 to 100
  int word_order = 0;       ///< longest n-gram of words, 0 to 100; 2: chrF++
  int beta = 2;             ///< weight of recall, 1 to 100
  bool lowercase = false;
  bool keep_blanks = false;  ///< blanks count as characters
  /// The mean of F-scores over all orders, an order without n-grams counting as about 0 (chrF++.py,
  /// Moses); else the F-score of means over the orders that are there ("eff:yes").
  bool epsilon_smoothing = false;
};

/// Throws InvalidArgument for a value out of its range.
void check_options(const ChrfOptions& options);

struct ChrfScore {
  std::string name;  ///< "chrF2", "chrF2++": beta, and a plus for each order of words
  double score = 0;  ///< 0 to 100
};

/// chrF of a corpus with one reference a sentence. Throws as corpus_bleu does.
ChrfScore corpus_chrf(const std::vector<std::string>& hypotheses,
                      const std::vector<std::string>& references, const ChrfOptions& options = {});

/// The same with several: references[r][i] is the r-th reference of hypothesis i.
ChrfScore corpus_chrf_multi(const std::vector<std::string>& hypotheses,
                            const std::vector<std::vector<std::string>>& references,
                            const ChrfOptions& options = {});

ChrfScore sentence_chrf(std::string_view hypothesis, const std::vector<std::string>& references,
                        const ChrfOptions& options = {});

/// A row: for each order, characters first, n-grams of the hypothesis, of the reference, and
/// matches; 3 (character_order + word_order) counts.
Statistics chrf_statistics(const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const ChrfOptions& options = {});
/// The score of a sum of such rows.
ChrfScore chrf_of(std::span<const int64_t> sum, const ChrfOptions& options = {});
Scorer chrf_scorer(const ChrfOptions& options = {});

/// sacreBLEU's line: "chrF2 = 61.12", "chrF2|nrefs:1|... = 61.12 (μ = 61.10 ± 0.98)".
std::string to_text(const ChrfScore& score, int decimals = 2, std::string_view signature = {},
                    const std::optional<Interval>& interval = std::nullopt);

}  // namespace attend::metrics
