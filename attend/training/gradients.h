// The gradient of one step: a batch is cut in shards, each on one thread with a buffer of its own,
// and the buffers are added in the order of the shards.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attend/core/thread_pool.h"
#include "attend/data/batches.h"
#include "attend/models/seq2seq.h"
#include "attend/ops/products.h"
#include "attend/ops/torch_threads.h"
#include "attend/training/step_profile.h"

namespace attend::training {

/// Cross-entropy summed over real target tokens, in nats.
struct LossTotal {
  double sum = 0.0;
  int64_t tokens = 0;
  double mean() const { return tokens > 0 ? sum / static_cast<double>(tokens) : 0.0; }
};

struct StepGradient {
  LossTotal loss;
  double norm = 0.0;  ///< Euclidean, of the gradient of the mean loss; not finite after an overflow
};

/// How the model's steps are taken: by kernels, or by autograd and why.
FusedStep training_step(const Seq2Seq& model, ops::Products products);

/// Keeps a flat gradient buffer a shard, allocated when first needed. One at a time per model.
class Gradients {
 public:
  /// All have to outlive this. The pool's worker threads should have LibTorch set to one thread.
  /// `profile`, unless null, counts the time of compute(). bfloat16 products run on autograd.
  Gradients(const Seq2Seq& model, core::ThreadPool& pool, StepProfile* profile = nullptr,
            ops::Products products = ops::Products::kFloat32);

  /// Fills flat() with the gradient of (summed loss of the whole batch) / (its real target tokens).
  /// `shards` 0: data::shard_count on the CPU, else 1. The same bits at any number of threads: the
  /// shards hang on the batch alone, and so do the rows that number dropout's draws.
  StepGradient compute(const data::Batch& batch, const ops::DropoutState& dropout,
                       int64_t shards = 0);

  /// (numel of the model's ParameterStore), in its order.
  const at::Tensor& flat() const { return flat_; }

  /// Why the step runs on autograd; "" when it runs on kernels.
  const std::string& declined() const { return step_.declined; }

  /// The first parameter whose gradient holds NaN or infinity; "" when there is none.
  std::string first_not_finite() const;

 private:
  LossTotal run_shards(const std::vector<data::Batch>& parts, const ops::DropoutState& dropout);

  const Seq2Seq& model_;
  core::ThreadPool& pool_;
  StepProfile* profile_;
  ops::Products products_;
  FusedStep step_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
  at::Tensor flat_;
};

/// Loss over a whole dataset, without dropout or gradients, in batches of at most `batch_size` in
/// file order, one a thread: by kernels where the model has some, else by composed operations. The
/// same bits at any number of threads. Nothing comes back when `stop` was set before the end.
std::optional<LossTotal> dataset_loss(const Seq2Seq& model, const data::Dataset& dataset,
                                      int64_t batch_size, core::ThreadPool& pool,
                                      const std::atomic<bool>* stop = nullptr);

}  // namespace attend::training
