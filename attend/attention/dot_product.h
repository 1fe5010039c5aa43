// Dot-product attention without parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/attention.h"

namespace attend {

/// The scores that need no parameters.
enum class DotScore {
  kPlain,   ///< q . k; Luong et al. 2015, 3.1
  kScaled,  ///< q . k / sqrt(D); Vaswani et al. 2017, 3.2.1
};

/// queries (B, Tq, D), keys (B, Tk, D), values (B, Tk, Dv)
/// -> output (B, Tq, Dv), weights (B, Tq, Tk). `options.scale` goes before the score's own.
ops::AttentionResult dot_product_attention(const at::Tensor& queries, const at::Tensor& keys,
                                           const at::Tensor& values, const Mask& mask,
                                           DotScore score = DotScore::kScaled,
                                           const ops::AttentionOptions& options = {});

}  // namespace attend
