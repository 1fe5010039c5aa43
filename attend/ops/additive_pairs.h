// Additive scores on kernels. Private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace attend::ops::detail {

/// Why kernels do not take these, in words; empty when they do.
std::string additive_declined(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w);

/// additive_scores() of checked arguments that are not declined. Differentiable once.
at::Tensor additive_pairs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w);

}  // namespace attend::ops::detail
