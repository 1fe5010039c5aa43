#include "attend/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/random.h"

namespace attend::metrics {
namespace {

void check(const Statistics& statistics, const BootstrapOptions& options) {
  if (statistics.size() < 1) {
    throw InvalidArgument("[bootstrap] expected at least one sentence, found none");
  }
  if (options.samples < 1) {
    throw InvalidArgument("[bootstrap] expected at least one sample, found " +
                          std::to_string(options.samples));
  }
}

double score_of(const Statistics& statistics, const std::vector<int64_t>& sentences,
                const Scorer& scorer) {
  std::vector<int64_t> sum(static_cast<size_t>(statistics.width), 0);
  for (const int64_t i : sentences) {
    const std::span<const int64_t> row = statistics.row(i);
    for (size_t j = 0; j < sum.size(); ++j) sum[j] += row[j];
  }
  return scorer(sum);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval interval_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;
  Interval interval;
  interval.mean = mean(scores);
  interval.low = scores[cut];
  interval.high = scores[scores.size() - cut - 1];
  interval.half_width = 0.5 * (interval.high - interval.low);
  return interval;
}

double p_value(const std::vector<double>& differences, double seen) {
  const double centre = mean(differences);
  const auto larger = std::count_if(differences.begin(), differences.end(),
                                    [&](double d) { return d - centre > seen; });
  return static_cast<double>(larger + 1) / static_cast<double>(differences.size() + 1);
}

}  // namespace

std::vector<int64_t> resample(int64_t size, int64_t sample, uint64_t seed) {
  const uint64_t key = core::combine(seed, static_cast<uint64_t>(sample));
  std::vector<int64_t> sentences(static_cast<size_t>(size));
  for (size_t i = 0; i < sentences.size(); ++i) {
    sentences[i] = static_cast<int64_t>(core::combine(key, i) % sentences.size());
  }
  return sentences;
}

Interval bootstrap_interval(const Statistics& statistics, const Scorer& scorer,
                            const BootstrapOptions& options) {
  check(statistics, options);
  std::vector<double> scores;
  for (int64_t s = 0; s < options.samples; ++s) {
    scores.push_back(score_of(statistics, resample(statistics.size(), s, options.seed), scorer));
  }
  return interval_of(std::move(scores));
}

PairedBootstrap paired_bootstrap(const Statistics& baseline, const Statistics& system,
                                 const Scorer& scorer, const BootstrapOptions& options) {
  if (baseline.size() != system.size()) {
    throw InvalidArgument("[bootstrap] expected as many sentences of both systems, found " +
                          std::to_string(baseline.size()) + " and " +
                          std::to_string(system.size()));
  }
  check(baseline, options);
  std::vector<double> baseline_scores, system_scores, differences;
  int64_t baseline_wins = 0, system_wins = 0;
  for (int64_t s = 0; s < options.samples; ++s) {
    const std::vector<int64_t> sentences = resample(baseline.size(), s, options.seed);
    const double a = score_of(baseline, sentences, scorer);
    const double b = score_of(system, sentences, scorer);
    baseline_scores.push_back(a);
    system_scores.push_back(b);
    differences.push_back(std::abs(b - a));
    baseline_wins += a > b;
    system_wins += b > a;
  }
  PairedBootstrap result;
  result.baseline_score = scorer(baseline.total());
  result.system_score = scorer(system.total());
  result.p_value = p_value(differences, std::abs(result.system_score - result.baseline_score));
  result.baseline = interval_of(std::move(baseline_scores));
  result.system = interval_of(std::move(system_scores));
  const auto samples = static_cast<double>(options.samples);
  result.baseline_wins = static_cast<double>(baseline_wins) / samples;
  result.system_wins = static_cast<double>(system_wins) / samples;
  return result;
}

}  // namespace attend::metrics
