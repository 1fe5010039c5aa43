// Rotary positions: Su et al. 2021, 3.2.2. Queries and keys are turned by their position, so that
// their product hangs on the distance alone.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace attend {

/// Which two features make a pair that is turned. Weights trained with one are no use with the
/// other.
enum class RotaryLayout {
  kInterleaved,  ///< features 2i and 2i + 1: the paper, GPT-J
  kHalves,       ///< features i and D / 2 + i: GPT-NeoX, Llama
};

struct RotaryOptions {
  RotaryLayout layout = RotaryLayout::kInterleaved;
  double base = 10000.0;  ///< pair i turns by position * base^(-2i / D), in radians
};

/// x (..., T, D) -> the same shape; row t is turned as position first + t. Of an odd D the last
/// feature stays as it is. Angles are computed in double. Differentiable. Throws InvalidArgument
/// for no floating tensor of at least two dimensions and for a base that is not above 0.
at::Tensor rotary(const at::Tensor& x, int64_t first = 0, const RotaryOptions& options = {});

}  // namespace attend
