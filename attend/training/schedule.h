// The learning rate as a function of the number of the update.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "attend/training/config.h"

namespace attend::training {

/// The learning rate of update `step`, counted from 1. `width` is the model's D, used only by
/// kNoam.
///   kConstant     r
///   kNoam         r * D^-0.5 * min(step^-0.5, step * w^-1.5)   Vaswani et al. 2017, eq. 3
///   kInverseSqrt  r * min(step / w, sqrt(w / step))            the same curve with its top at r
/// with r = learning_rate and w = warmup_steps, at least 1: without a warm-up the rate falls from
/// the first update on. An update that is skipped does not count.
inline double learning_rate_at(const TrainingConfig& config, int64_t width, int64_t step) {
  const double n = static_cast<double>(std::max<int64_t>(step, 1));
  const double w = static_cast<double>(std::max<int64_t>(config.warmup_steps, 1));
  switch (config.schedule) {
    case Schedule::kConstant:
      break;
    case Schedule::kNoam:
      return config.learning_rate / std::sqrt(static_cast<double>(width)) *
             std::min(1.0 / std::sqrt(n), n / (w * std::sqrt(w)));
    case Schedule::kInverseSqrt:
      return config.learning_rate * std::min(n / w, std::sqrt(w / n));
  }
  return config.learning_rate;
}

}  // namespace attend::training
