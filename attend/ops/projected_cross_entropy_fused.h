// projected_cross_entropy on kernels. Private to ops.
#pragma once

#include <ATen/core/Tensor.h>

namespace attend::ops::detail {

/// Zeros to be filled, like hidden, weight and bias; undefined where not wanted.
struct ProjectionGradients {
  at::Tensor hidden, weight, bias;
};

/// The loss of checked arguments that kernels take, as a scalar, and its gradients unless those are
/// undefined. hidden and targets are contiguous.
at::Tensor projected_cross_entropy_fused(const at::Tensor& hidden, const at::Tensor& weight,
                                         const at::Tensor& bias, const at::Tensor& targets,
                                         const ProjectionGradients& d);

}  // namespace attend::ops::detail
