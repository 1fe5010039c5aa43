// Products whose operands are rounded to bfloat16: float in, float out.
#pragma once

#include <ATen/core/Tensor.h>

namespace attend::ops::detail {

/// Whether products of x run in bfloat16: x is float, and ops::products() says so.
bool in_bfloat16(const at::Tensor& x);

/// x W^T: x (..., inputs), weight (outputs, inputs), both float -> (..., outputs) float.
/// Differentiable once; its gradients' products are such ones too.
at::Tensor bfloat16_linear(const at::Tensor& x, const at::Tensor& weight);

}  // namespace attend::ops::detail
