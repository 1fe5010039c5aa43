// Residual sum, dropout and layer normalisation as one op (Ba et al. 2016, eq. 4; Vaswani et al.
// 2017, 3.1): LayerNorm(x + dropout(change)) * gain + bias over the last dimension.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "attend/ops/dropout.h"

namespace attend::ops {

struct ResidualNormInputs {
  at::Tensor x;       ///< (N, ..., D)
  at::Tensor change;  ///< like x, or undefined for none: the norm of x alone
  at::Tensor gain;    ///< (D)
  at::Tensor bias;    ///< (D)
};

struct ResidualNormOptions {
  double epsilon = 1e-5;           ///< added to the variance, which divides by D
  DropoutState dropout = {};       ///< of `change`
  uint32_t site = 0;               ///< as in dropout()
  std::vector<int64_t> rows = {};  ///< (N), likewise; empty when dropout is off
};

/// (N, ..., D), differentiable once in all inputs. Any floating dtype and device. Throws
/// InvalidArgument for shapes that do not fit and as dropout() does.
at::Tensor residual_norm(const ResidualNormInputs& inputs, const ResidualNormOptions& options);

/// The composed twin: dropout(), a sum, and LibTorch's layer_norm.
at::Tensor residual_norm_composed(const ResidualNormInputs& inputs,
                                  const ResidualNormOptions& options);

/// Why residual_norm() takes the twin for these, in words; empty when it takes the kernel.
std::string residual_norm_unsupported(const ResidualNormInputs& inputs,
                                      const ResidualNormOptions& options);

}  // namespace attend::ops
