// BLEU (Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation"),
// equal to sacreBLEU's (Post 2018) to rounding:
//
//   BLEU = 100 BP exp( (1/N) sum_{n=1..N} log p_n ),   BP = 1 if h >= r, else exp(1 - r/h)
//
// over the whole corpus: p_n = clipped matches / n-grams of the hypotheses, h the tokens of the
// hypotheses, r those of the references (the closest in length, the shorter of two as close).
// A number is comparable only with its signature: see signature.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics/statistics.h"
#include "attend/metrics/tokenise.h"

namespace attend::metrics {

/// What an order without a match counts as (Chen and Cherry 2014). Where no order at all has a
/// match, the score is 0 with each of them.
enum class Smoothing {
  kNone,   ///< "none": p_n = 0, so the score is 0
  kFloor,  ///< "floor": `value` matches (0.1)
  kAddK,   ///< "add-k": `value` (1) is added to matches and n-grams of every order but the first
  kExp,    ///< "exp": half a match, then a quarter, ... order by order; the default of sacreBLEU
};

/// By sacreBLEU's name; throws InvalidArgument that lists the names.
Smoothing parse_smoothing(std::string_view name);
std::string_view smoothing_name(Smoothing smoothing);

/// The defaults are those of sacreBLEU's corpus BLEU.
struct BleuOptions {
  Tokenizer tokenizer = Tokenizer::k13a;  ///< applied to both sides; references are raw text too
  bool lowercase = false;                 ///< "case:lc" in the signature, else "case:mixed"
  Smoothing smoothing = Smoothing::kExp;
  /// For kFloor and kAddK, >= 0; unset: 0.1 and 1. Not used by the others.
  std::optional<double> smoothing_value;
  int max_order = 4;  ///< N, 1 to 100; other than 4 it is named in the signature
  /// Takes the longest order the hypotheses have for N when they are shorter than max_order. Meant
  /// for single sentences: without it each sentence of less than four tokens scores 0.
  bool effective_order = false;
  /// Hypotheses that look tokenised are meant to: no hint about it. Changes no score; sacreBLEU's.
  bool force = false;
};

/// Throws InvalidArgument for a value out of its range.
void check_options(const BleuOptions& options);
/// The value that is used: smoothing_value, else the default; 0 for kNone and kExp.
double smoothing_value(const BleuOptions& options);

/// A score and all it is made of.
struct BleuScore {
  /// What the result is called. Rename what isn't plain BLEU ("BLEU-subword").
  std::string name = "BLEU";
  double score = 0;                ///< 0 to 100
  std::vector<double> precisions;  ///< per order, in percent, smoothed
  std::vector<int64_t> matches;    ///< per order, as counted (without add-k)
  std::vector<int64_t> totals;     ///< per order, as counted (without add-k)
  double brevity_penalty = 0;
  int64_t hypothesis_length = 0;  ///< tokens
  int64_t reference_length = 0;   ///< tokens
  /// What the reader of this score should know, a sentence each; see hints.h. Empty as a rule.
  std::vector<std::string> hints;

  /// hypothesis_length / reference_length; 0 where there is no reference text.
  double ratio() const;
};

/// BLEU of a corpus with one reference a sentence. Throws InvalidArgument for lists that are empty
/// or differ in length (with both counts), and for options out of their range. Empty sentences
/// count.
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::string>& references, const BleuOptions& options = {});

/// The same with several: references[r][i] is the r-th reference of hypothesis i.
BleuScore corpus_bleu_multi(const std::vector<std::string>& hypotheses,
                            const std::vector<std::vector<std::string>>& references,
                            const BleuOptions& options = {});

/// BLEU of one sentence, against all its references. Set effective_order (sacreBLEU's
/// sentence_bleu() and --sentence-level do).
BleuScore sentence_bleu(std::string_view hypothesis, const std::vector<std::string>& references,
                        const BleuOptions& options = {});

/// A row: tokens of the hypothesis, of the closest reference, matches and n-grams of each order;
/// 2 + 2 max_order counts.
Statistics bleu_statistics(const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const BleuOptions& options = {});
/// The score of a sum of such rows; without hints.
BleuScore bleu_of(std::span<const int64_t> sum, const BleuOptions& options = {});
Scorer bleu_scorer(const BleuOptions& options = {});

/// sacreBLEU's line: "BLEU = 37.04 66.2/44.1/30.5/21.3 (BP = 1.000 ratio = 1.006 hyp_len = 10
/// ref_len = 9)"; with a signature "BLEU|nrefs:1|... = 37.04 ...", with an interval "37.04 (μ
/// = 37.01 ± 1.20)".
std::string to_text(const BleuScore& score, int decimals = 2, std::string_view signature = {},
                    const std::optional<Interval>& interval = std::nullopt);

}  // namespace attend::metrics
