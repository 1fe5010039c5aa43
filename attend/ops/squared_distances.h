// Squared distances between all queries and keys: what kernels are functions of.
#pragma once

#include <ATen/core/Tensor.h>

namespace attend::ops {

/// d_ij = |a_i - b_j|^2: a (B, [H,] M, D), b (B, [H,] N, D) -> (B, [H,] M, N), any floating dtype.
///
/// Near neighbours keep their digits however far from the origin they are: differences are taken
/// before they are squared, unless D is large and |a|^2 + |b|^2 - 2 a b about a common centre is
/// off by less than 1e-5. No (M, N, D) tensor is held. Half types are computed in float.
/// Differentiable once; the gradient at distance 0 is 0. Throws InvalidArgument for other shapes.
at::Tensor squared_distances(const at::Tensor& a, const at::Tensor& b);

}  // namespace attend::ops
