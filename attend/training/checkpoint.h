// checkpoint.safetensors: all that a run needs to go on as if it had never stopped, in one file.
//
//   weights.NAME, adam.first.NAME, adam.second.NAME   a tensor each per parameter
//   counters (9, I64) and sums (2, F64)               RunState, in the order of its fields
//   metadata                                          the model's identity, [training], the data,
//                                                     a checksum
//
// No clock is in it: runs of equal settings write equal files, at any number of threads and however
// often they were stopped on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "attend/models/weights_file.h"
#include "attend/training/adam.h"

namespace attend::training {

/// Where a run stands. Randomness is counted by (seed, epoch) for the order and (seed, step) for
/// dropout, so these numbers are its whole state.
struct RunState {
  // counters
  int64_t epoch = 0;           ///< complete epochs
  int64_t batch = 0;           ///< batches done in the present one
  int64_t step = 0;            ///< batches done since the run began
  int64_t skipped = 0;         ///< of these, without an update, since the gradient was not finite
  int64_t skipped_in_row = 0;  ///< the last so many steps
  int64_t tokens = 0;          ///< target tokens behind loss_sum
  int64_t since_best = 0;      ///< validations since the lowest held-out loss
  int64_t best_epoch = 0;      ///< complete epochs at the lowest held-out loss; 0: none so far
  // sums
  double loss_sum = 0.0;   ///< of the present epoch's steps, nats
  double best_loss = 0.0;  ///< meaningless while best_epoch is 0
};

/// What a run hangs on besides its state. All but the keys that may change has to be the same
/// again.
struct RunIdentity {
  ModelIdentity model;
  std::string training;  ///< what has to stay the same of [training]: run_lines()
  std::string data;      ///< fingerprint of the ids that it trains on
};

/// Writes the file atomically. `path` is folder + "/checkpoint.safetensors".
void write_checkpoint(const std::string& path, const ParameterStore& store, const Adam& adam,
                      const RunState& state, const RunIdentity& identity);

struct Checkpoint {
  RunState state;
  RunIdentity identity;
  std::string note;  ///< a sentence for people: there is no checksum; else ""
};

/// Reads weights and moments into `store` and `adam`, after all checks. `check` sees the identity
/// first and may throw; then nothing has changed. Throws DataError(path).
Checkpoint read_checkpoint(const std::string& path, ParameterStore& store, Adam& adam,
                           const std::function<void(const RunIdentity&)>& check);

}  // namespace attend::training
