// The batches of an epoch: a pure function of (dataset, options, seed, epoch), so that resuming in
// the middle of an epoch needs two integers, the epoch and the number of the next batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/data/batch.h"
#include "attend/data/dataset.h"

namespace attend::data {

struct BatchOptions {
  int64_t sentences = 64;  ///< in a batch; the last one may be smaller
  int64_t tokens = 0;  ///< a batch closes before its target tokens exceed this (one sentence always
                       ///< fits); 0: no limit
  bool shuffle = true;  ///< false: the order of the file (validation)
  bool bucket = false;  ///< sort by length within pools, so that a batch holds like lengths
  int64_t pool = 100;   ///< bucket: batches (of `sentences`) in a pool
};

class Epoch {
 public:
  /// `epoch` counts from 0. Throws InvalidArgument for options out of range.
  Epoch(const Dataset& dataset, const BatchOptions& options, uint64_t seed, int64_t epoch);

  /// Number of batches. The same in every epoch unless both `tokens` and `shuffle` are set.
  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  /// The pairs of batch i, as indices in the dataset, in drawn order (before make_batch sorts
  /// them).
  std::span<const int64_t> indices(int64_t i) const;
  /// Batch i. Reads the dataset, which has to outlive the Epoch.
  Batch batch(int64_t i) const;

 private:
  const Dataset* dataset_;
  std::vector<int64_t> order_;
  std::vector<int64_t> offsets_;
};

/// Any pairs of a dataset as one batch.
Batch gather(const Dataset& dataset, std::span<const int64_t> indices);

}  // namespace attend::data
