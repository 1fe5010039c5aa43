// Products of matrices, one a sentence or one a head.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace attend::ops {

/// a (B, M, K) times b (B, K, N) -> (B, M, N), or with heads a (B, H, M, K) times b (B, H, K, N)
/// -> (B, H, M, N). One floating dtype, one device; any size may be 0. Nothing is broadcast.
/// Differentiable. Throws InvalidArgument, with both shapes, for others.
at::Tensor batched_product(const at::Tensor& a, const at::Tensor& b);

/// True for (B, M, .) and (B, N, .), or (B, H, M, .) and (B, H, N, .), with the same B and H.
bool leading_sizes_agree(const at::Tensor& a, const at::Tensor& b);

/// Heads that share keys, or values, each with its own: (B, G, T, D) -> (B, heads, T, D); head h
/// has number h / (heads / G). x itself when G = heads.
at::Tensor for_each_head(const at::Tensor& x, int64_t heads);

}  // namespace attend::ops
