// Whether a checkpoint is of this run.
#pragma once

#include <functional>
#include <string>

#include "attend/data/dataset.h"
#include "attend/training/checkpoint.h"
#include "attend/training/config.h"

namespace attend::training {

/// [training] as core::config_lines, without the keys that change nothing of what a step computes
/// (epochs, patience, threads, checkpoint_seconds).
std::string run_lines(TrainingConfig config);

/// Tells datasets apart by their ids.
std::string data_fingerprint(const data::Dataset& train, const data::Dataset* held_out);

/// Throws DataError(path) when going on from `stored` as `present` would not be the same run,
/// naming the keys that differ. epochs, patience, threads and checkpoint_seconds may differ in
/// silence, and learning_rate with a note: the present value, which someone must have asked for,
/// wins.
void check_same_run(const RunIdentity& stored, const RunIdentity& present, const std::string& path,
                    const std::function<void(const std::string&)>& note);

}  // namespace attend::training
