// A model's training step by kernels, as training takes it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "attend/core/profile.h"
#include "attend/core/thread_pool.h"
#include "attend/data/batch.h"
#include "attend/ops/dropout.h"

namespace attend {

class TrainingStep {
 public:
  virtual ~TrainingStep() = default;

  /// Before run(), after each change of the parameters: `shards` may run then. On the threads of
  /// `pool`, unless null.
  virtual void prepare(int64_t shards, core::ThreadPool* pool = nullptr) = 0;

  /// The summed loss of one shard with at least one target token. Sets `gradient` (numel), flat
  /// like the parameters. Different shards may run at once. Throws InvalidArgument for ids outside
  /// the model's vocabularies and for a probability outside [0, 1).
  virtual double run(int64_t shard, const data::Batch& batch, const ops::DropoutState& dropout,
                     const at::Tensor& gradient) = 0;

  /// The same loss without dropout, and nothing else: no gradient is computed, and no memory taken
  /// for one.
  virtual double loss(int64_t shard, const data::Batch& batch) = 0;

  /// The bytes that the shards keep between runs.
  virtual size_t bytes() const = 0;

  /// Where shard number `shard` counts its time from now on; null: nowhere, as at first.
  virtual void profile(int64_t shard, core::Profile* profile) = 0;
};

/// The step, or why a model is trained by autograd.
struct FusedStep {
  std::unique_ptr<TrainingStep> kernels;
  std::string declined;
};

}  // namespace attend
