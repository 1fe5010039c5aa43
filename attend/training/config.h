// The [training] table.
#pragma once

#include <cstdint>

#include "attend/core/config.h"
#include "attend/ops/products.h"

namespace attend::training {

/// How the learning rate moves with the updates made; see schedule.h.
enum class Schedule { kConstant, kNoam, kInverseSqrt };

struct TrainingConfig {
  int64_t epochs = 250;
  int64_t batch_size = 64;   ///< sentences
  int64_t batch_tokens = 0;  ///< at most so many target tokens in a batch; 0: no limit
  bool bucket = false;       ///< batches of like lengths
  double learning_rate = 0.005;
  Schedule schedule = Schedule::kConstant;
  int64_t warmup_steps = 4000;  ///< kNoam, kInverseSqrt
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip = 0.0;  ///< largest norm of the gradient per target token; 0: not clipped
  int64_t seed = 1;
  ops::Products products = ops::Products::kFloat32;
  int64_t threads = 0;         ///< 0: automatic
  int64_t validate_every = 1;  ///< epochs; 0: never
  bool keep_best = true;  ///< with held-out pairs: model.safetensors is the best, else the last
  int64_t patience = 0;   ///< validations without a better loss before training ends; 0: no end
  double checkpoint_seconds = 30.0;  ///< 0: after every step
};
core::ConfigTable describe(TrainingConfig& config);

}  // namespace attend::training
