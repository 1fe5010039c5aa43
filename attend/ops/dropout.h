// Dropout whose mask is a pure function of counters: hash(seed, step, site, row, column).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/core/random.h"

namespace attend::ops {

using core::DropoutState;

/// x (N, ...) with elements zeroed with the given probability and the rest scaled by 1 / (1 - p).
/// `rows` (N) numbers x's leading dimension in the whole batch; the other dimensions, flattened
/// row-major, are the column. `site` tells the places of a model apart. Differentiable; the same
/// counters give the same mask. On the CPU what is dropped is 0 whatever it was. x may be any
/// floating dtype on any device. When dropout is off, x itself is returned and `rows` may be empty;
/// else throws InvalidArgument if rows do not match x.
at::Tensor dropout(const at::Tensor& x, const DropoutState& state, uint32_t site,
                   const std::vector<int64_t>& rows);

/// The multiplier itself, (N, columns): 0 or 1 / (1 - p).
at::Tensor dropout_mask(const DropoutState& state, uint32_t site, const std::vector<int64_t>& rows,
                        int64_t columns, const at::TensorOptions& options);

/// Throws InvalidArgument unless p is in [0, 1).
void check_probability(double p);

/// The rows' keys, as kernels take them (core::dropout_row_key).
std::vector<uint32_t> dropout_keys(const DropoutState& state, uint32_t site,
                                   const std::vector<int64_t>& rows);

}  // namespace attend::ops
