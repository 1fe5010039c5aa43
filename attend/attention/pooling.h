// Pooling without scores that are learned: the average, and Nadaraya-Watson kernel regression.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "attend/ops/attention.h"

namespace attend {

/// The mean of the values that each query may see: values (B, Tk, Dv) -> output (B, Tq, Dv),
/// weights (B, Tq, Tk).
ops::AttentionResult average_pooling(const at::Tensor& values, int64_t queries, const Mask& mask,
                                     const ops::AttentionOptions& options = {});

/// Gaussian kernel: score(q, k) = -|width * (q - k)|^2 / 2; Nadaraya 1964, Watson 1964.
/// queries (B, Tq, D), keys (B, Tk, D), values (B, Tk, Dv), `width` a scalar or (D), multiplied as
/// in the chapter, so that a larger one is a narrower kernel. Float or double.
ops::AttentionResult gaussian_kernel_attention(const at::Tensor& queries, const at::Tensor& keys,
                                               const at::Tensor& values, const at::Tensor& width,
                                               const Mask& mask,
                                               const ops::AttentionOptions& options = {});

}  // namespace attend
