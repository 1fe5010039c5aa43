// clock.json: how long a run has trained. Apart from the checkpoint, since no two runs take the
// same time and their checkpoints are to be equal.
#pragma once

#include <cstdint>
#include <string>

namespace attend::training {

/// Seconds are of training, without validation and saving.
struct RunClock {
  int64_t step = 0;            ///< of the run: the checkpoint that this belongs to
  int64_t epoch_tokens = 0;    ///< target tokens of the present epoch whose time is known
  double epoch_seconds = 0.0;  ///< of those
  double total_seconds = 0.0;  ///< since the run began

  void add(int64_t tokens, double seconds);
  void end_epoch();
  double tokens_per_second() const;
};

/// Writes the file atomically.
void write_clock(const std::string& path, const RunClock& clock);

/// The clock at `step`. A file that is missing, damaged or of another step is no error, since
/// nothing but reports hangs on it: then `finished_seconds`, of the complete epochs, is the total,
/// and the present epoch's time begins anew.
RunClock read_clock(const std::string& path, int64_t step, double finished_seconds);

}  // namespace attend::training
