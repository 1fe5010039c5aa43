// The additive score of Bahdanau et al. 2015, A.1.2.
#pragma once

#include <ATen/core/Tensor.h>

namespace attend::ops {

/// s_ij = w^T tanh(q_i + k_j): q (B, Tq, A), k (B, Tk, A), w (A) -> (B, Tq, Tk); or with heads
/// q (B, H, Tq, A), k (B, H, Tk, A), w (A) or one a head (H, A) -> (B, H, Tq, Tk). Differentiable
/// once. Holds no (B, Tq, Tk, A) tensor: the features are made again in the backward pass. In float
/// and double on the CPU kernels do it, unless queries and keys both have features so great that
/// tanh is all but +-1; else it goes query by query. Throws InvalidArgument for other shapes.
at::Tensor additive_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w);

/// The twin that defines the meaning, of plain operations; holds the features, (B, [H,] Tq, Tk, A).
at::Tensor additive_scores_composed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w);

}  // namespace attend::ops
