// Adam over the flat buffer of a ParameterStore, with the scaling of norm clipping in the same
// pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/core/thread_pool.h"
#include "attend/training/config.h"

namespace attend::training {

/// total = scale * (parts[0] + parts[1] + ...), added in that order, and its Euclidean norm. All
/// are flat (N) and contiguous, of one floating dtype and device. The same bits at any size of
/// `pool`: squares are summed in double within blocks of fixed size, then over the blocks in order.
double sum_parts(const std::vector<at::Tensor>& parts, double scale, const at::Tensor& total,
                 core::ThreadPool& pool);

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip = 0.0;  ///< gradients longer than this are scaled by clip / (norm + 1e-6); 0: never
};
AdamOptions adam_options(const TrainingConfig& config);

/// Kingma and Ba 2015, algorithm 1, with PyTorch's order of operations:
///   m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g g
///   p = p - r / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + epsilon)
class Adam {
 public:
  /// Moments shaped and placed like `parameters` (N), zero.
  Adam(const at::Tensor& parameters, AdamOptions options);

  /// One update of `parameters` in place. `norm` is the norm of `gradient`, as sum_parts gives it.
  /// When it is not finite nothing changes, the count of updates neither, and false comes back.
  bool update(const at::Tensor& parameters, const at::Tensor& gradient, double norm,
              double learning_rate, core::ThreadPool& pool);

  /// Updates made, t above.
  int64_t updates() const { return updates_; }
  const at::Tensor& first_moment() const { return first_; }
  const at::Tensor& second_moment() const { return second_; }
  /// For a checkpoint: copies the moments in.
  void restore(const at::Tensor& first, const at::Tensor& second, int64_t updates);

 private:
  AdamOptions options_;
  at::Tensor first_;
  at::Tensor second_;
  int64_t updates_ = 0;
};

}  // namespace attend::training
