// How far a key stands from a query: what every relative position scheme begins with.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace attend {

/// key - query in tokens, (Tq, Tk) int64, negative for keys that lie before. The queries are the
/// last of the keys' positions, as in Mask::causal(): query i stands at Tk - Tq + i. Throws
/// InvalidArgument for negative sizes.
at::Tensor key_distances(int64_t queries, int64_t keys, at::Device device);

/// Every distance that key_distances() has, in order: 1 - Tk .. Tq - 1, of which place
/// j - i + Tq - 1 is that of query i and key j, as ops::AttentionOptions::distance_bias has them.
at::Tensor distance_range(int64_t queries, int64_t keys, at::Device device);

}  // namespace attend
