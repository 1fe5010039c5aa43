// What a run shows while it trains.
#pragma once

#include "attend/training/trainer.h"
#include "cli/console.h"
#include "cli/run_config.h"

namespace attend::cli {

/// Prints to a Console: one live line on a terminal; elsewhere a line an epoch, thinned to about
/// forty a run, and one every 20 seconds within a long epoch.
class TrainProgress {
 public:
  TrainProgress(Console& console, int64_t epochs, bool verbose);

  void step(const training::StepReport& report);
  void epoch(const training::EpochRecord& record);
  void validation(const training::ValidationReport& report);

 private:
  bool due(int64_t epoch) const;

  Console& console_;
  int64_t epochs_;
  bool verbose_;
  training::StepReport last_;
  double last_line_seconds_ = 0.0;
};

}  // namespace attend::cli
