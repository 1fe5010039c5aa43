// Sufficient statistics of a corpus: a row of counts a sentence. A corpus score is a function of
// the sum of its rows, so scores of parts and of resamples need no second reading of the text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// N rows of `width` counts; bleu_statistics and chrf_statistics say what a row holds.
struct Statistics {
  int64_t width = 0;
  std::vector<int64_t> values;  ///< row-major, N * width

  int64_t size() const { return width == 0 ? 0 : static_cast<int64_t>(values.size()) / width; }
  std::span<const int64_t> row(int64_t i) const {
    return {values.data() + i * width, static_cast<size_t>(width)};
  }
  /// The sum over all rows.
  std::vector<int64_t> total() const;
};

/// Sums of rows -> a score from 0 to 100. bleu_scorer and chrf_scorer make them.
using Scorer = std::function<double(std::span<const int64_t>)>;

/// The spread of a score over resamples.
struct Interval {
  double mean = 0;
  double low = 0;         ///< the 2.5 % quantile
  double high = 0;        ///< the 97.5 % quantile
  double half_width = 0;  ///< (high - low) / 2: what sacreBLEU prints after "±"
};

/// Throws InvalidArgument unless there is a sentence and a reference, and each list of references
/// has as many sentences as there are hypotheses. `op` begins the message.
void check_corpus(std::string_view op, const std::vector<std::string>& hypotheses,
                  const std::vector<std::vector<std::string>>& references);

}  // namespace attend::metrics
