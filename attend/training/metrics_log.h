// metrics.jsonl: what a run did, an object an epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attend::training {

/// One line of metrics.jsonl; its keys are these names, in this order. Counts, seconds and rates
/// are those of the epoch alone; seconds are of training, without validation and saving.
struct EpochRecord {
  int64_t epoch = 0;                 ///< from 1
  int64_t step = 0;                  ///< batches since the run began
  std::optional<double> train_loss;  ///< nats per real target token, as training saw it (with
                                     ///< dropout, weights changing); null when no step counted
  std::optional<double> valid_loss;  ///< on the held-out pairs after the epoch; null without
  int64_t tokens = 0;                ///< real target tokens trained on
  double tokens_per_second = 0.0;
  double seconds = 0.0;
  double peak_rss_mb = 0.0;  ///< of the process so far, MiB
};

/// One line, its line feed included.
std::string metrics_line(const EpochRecord& record);

/// All epochs of a metrics.jsonl. A last line without its line feed (a kill while it was written)
/// is left out. Throws DataError(path, line) for anything else that is no such object.
std::vector<EpochRecord> read_metrics(const std::string& path);

/// Keeps the epochs up to and including `epochs`, atomically, and returns how many those are. A
/// file that is not there counts as empty and is made.
int64_t truncate_metrics(const std::string& path, int64_t epochs);

/// The most memory this process has held so far, MiB.
double peak_rss_mb();

}  // namespace attend::training
