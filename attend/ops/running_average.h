// The average of the first values, for each query of so many.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace attend::ops::detail {

/// out_i = (v_0 + ... + v_{n - 1}) / n with n = counts[b][i]; zeros where n is 0.
///
/// values (B, Tk, D) in float or double on the CPU, finite; counts (B, Tq) row by row, each in
/// [0, Tk] and none less than the one before it in its sentence -> (B, Tq, D). A running sum, in
/// double: no weights. Differentiable once.
at::Tensor running_average(const at::Tensor& values, std::vector<int64_t> counts);

}  // namespace attend::ops::detail
