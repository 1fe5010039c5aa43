#include "attend/metrics/length_buckets.h"

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

std::vector<LengthBucket> make_buckets(const std::vector<int64_t>& limits) {
  std::vector<LengthBucket> buckets;
  int64_t low = 0;
  for (const int64_t limit : limits) {
    if (limit < low) {
      throw InvalidArgument("[bleu_by_source_length] expected rising limits >= 0, found " +
                            std::to_string(limit) + " where " + std::to_string(low) +
                            " is the least");
    }
    buckets.push_back({low, limit, 0, {}});
    low = limit + 1;
  }
  buckets.push_back({low, -1, 0, {}});
  return buckets;
}

}  // namespace

std::string LengthBucket::label() const {
  if (high < 0) return std::to_string(low) + "+";
  if (high == low) return std::to_string(low);
  return std::to_string(low) + "-" + std::to_string(high);
}

int64_t count_blank_separated(std::string_view line) {
  return static_cast<int64_t>(split(decode(line)).size());
}

std::vector<LengthBucket> bleu_by_source_length_multi(
    const std::vector<int64_t>& source_lengths, const std::vector<std::string>& hypotheses,
    const std::vector<std::vector<std::string>>& references, const std::vector<int64_t>& limits,
    const BleuOptions& options) {
  if (source_lengths.size() != hypotheses.size()) {
    throw InvalidArgument(
        "[bleu_by_source_length] expected a source length for each hypothesis, found " +
        std::to_string(hypotheses.size()) + " hypotheses and " +
        std::to_string(source_lengths.size()) + " lengths");
  }
  std::vector<LengthBucket> buckets = make_buckets(limits);
  const Statistics statistics = bleu_statistics(hypotheses, references, options);
  const auto width = static_cast<size_t>(statistics.width);
  std::vector<std::vector<int64_t>> sums(buckets.size(), std::vector<int64_t>(width, 0));
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const auto b = static_cast<size_t>(
        std::lower_bound(limits.begin(), limits.end(), source_lengths[i]) - limits.begin());
    ++buckets[b].sentences;
    const std::span<const int64_t> row = statistics.row(static_cast<int64_t>(i));
    for (size_t j = 0; j < width; ++j) sums[b][j] += row[j];
  }
  for (size_t b = 0; b < buckets.size(); ++b) buckets[b].bleu = bleu_of(sums[b], options);
  return buckets;
}

std::vector<LengthBucket> bleu_by_source_length(const std::vector<int64_t>& source_lengths,
                                                const std::vector<std::string>& hypotheses,
                                                const std::vector<std::string>& references,
                                                const std::vector<int64_t>& limits,
                                                const BleuOptions& options) {
  return bleu_by_source_length_multi(source_lengths, hypotheses, {references}, limits, options);
}

}  // namespace attend::metrics
