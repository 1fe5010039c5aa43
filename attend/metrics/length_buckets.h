// BLEU by the length of the source sentence: where a model without attention falls behind
// (Bahdanau et al. 2015, figure 2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics/bleu.h"

namespace attend::metrics {

/// The sentences whose source has `low` to `high` tokens, both included.
struct LengthBucket {
  int64_t low = 0;
  int64_t high = 0;  ///< -1: no limit
  int64_t sentences = 0;
  BleuScore bleu;  ///< corpus BLEU of these sentences; 0 where there are none

  /// "4-6", "13+", "1" where both are equal.
  std::string label() const;
};

/// One bucket up to each limit, and one for what is longer; `limits` rise. With {3, 6}: 0-3, 4-6,
/// 7+. `source_lengths[i]` counts the tokens of sentence i's source; count_blank_separated does for
/// text. Throws InvalidArgument as corpus_bleu does, and for limits that do not rise.
std::vector<LengthBucket> bleu_by_source_length(const std::vector<int64_t>& source_lengths,
                                                const std::vector<std::string>& hypotheses,
                                                const std::vector<std::string>& references,
                                                const std::vector<int64_t>& limits = {3, 6, 9, 12},
                                                const BleuOptions& options = {});

/// The same with several references: references[r][i] is the r-th of hypothesis i.
std::vector<LengthBucket> bleu_by_source_length_multi(
    const std::vector<int64_t>& source_lengths, const std::vector<std::string>& hypotheses,
    const std::vector<std::vector<std::string>>& references,
    const std::vector<int64_t>& limits = {3, 6, 9, 12}, const BleuOptions& options = {});

/// Tokens between blanks (any of Unicode's).
int64_t count_blank_separated(std::string_view line);

}  // namespace attend::metrics
