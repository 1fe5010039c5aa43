// ALiBi, attention with linear biases: Press, Smith, Lewis 2022, section 3. Nothing is learned.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace attend {

/// The slopes of the heads, as the paper's code has them: 2^(-8 (h + 1) / H) when H is a power of
/// two; else those of the next lower power of two, then every other one of twice that. Throws
/// InvalidArgument for no head.
std::vector<double> alibi_slopes(int64_t heads);

/// -slope_h |key - query|, (H, Tq, Tk), to be added to the scores. The queries are the last of the
/// keys' positions. The paper is causal; without a mask both directions count alike.
at::Tensor alibi_bias(int64_t heads, int64_t queries, int64_t keys,
                      const at::TensorOptions& options);

/// The same by distance, (H, Tq + Tk - 1), for ops::AttentionOptions::distance_bias.
at::Tensor alibi_distances(int64_t heads, int64_t queries, int64_t keys,
                           const at::TensorOptions& options);

}  // namespace attend
