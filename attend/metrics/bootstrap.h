// Bootstrap resampling (Koehn 2004, "Statistical Significance Tests for Machine Translation
// Evaluation"): how far a score would move on another test set like this one, and whether one
// system beats another by more than that. A resample draws N sentences of N with replacement.
//
// The numbers are sacreBLEU's but for the draws: sacreBLEU takes them from numpy's PCG64, here
// sentence i of resample s is combine(combine(seed, s), i) mod N (attend/core/random.h), the same
// everywhere and in any order. So means and intervals agree as two runs of sacreBLEU with different
// seeds do.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/metrics/statistics.h"

namespace attend::metrics {

struct BootstrapOptions {
  int64_t samples = 1000;  ///< resamples, >= 1; the interval needs 40 to leave anything out
  uint64_t seed = 12345;
};

/// Which sentences resample `sample` holds, `size` of them.
std::vector<int64_t> resample(int64_t size, int64_t sample, uint64_t seed);

/// The 95 % interval of one system's score. Throws InvalidArgument without sentences or samples.
Interval bootstrap_interval(const Statistics& statistics, const Scorer& scorer,
                            const BootstrapOptions& options = {});

/// Two systems on the same sentences.
struct PairedBootstrap {
  double baseline_score = 0;
  double system_score = 0;
  Interval baseline;
  Interval system;
  /// Two-sided: how often a difference at least as large as the one seen comes by chance;
  /// (c + 1) / (samples + 1), c counting resamples whose absolute difference, less the mean of
  /// them, is larger than the one seen.
  double p_value = 1;
  double system_wins = 0;    ///< share of resamples that the system wins (Koehn's test)
  double baseline_wins = 0;  ///< the rest are ties
};

/// Both systems are scored on the same resamples. Throws InvalidArgument when they differ in the
/// number of sentences, with both counts.
PairedBootstrap paired_bootstrap(const Statistics& baseline, const Statistics& system,
                                 const Scorer& scorer, const BootstrapOptions& options = {});

}  // namespace attend::metrics
