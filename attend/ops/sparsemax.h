// Sparsemax: weights that are exactly zero for keys of little score.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/mask.h"

namespace attend::ops {

/// The point of the simplex nearest to the scores: weights_j = max(s_j - tau, 0), with the tau that
/// makes the visible ones sum to 1; 0 where hidden. Martins & Astudillo 2016, eq. 2, algorithm 1;
/// gradient after proposition 2.
///
/// `scores` (B, Tq, Tk) or (B, H, Tq, Tk), any floating dtype; the result has its shape and dtype,
/// and is computed in float where that is wider. A row that may attend to nothing is zero, and so
/// is its gradient. What is hidden, NaN or infinity included, is never read; a visible NaN makes
/// its row NaN. Differentiable once. Throws InvalidArgument for other shapes and for a mask that
/// does not fit.
at::Tensor sparsemax(const at::Tensor& scores, const Mask& mask);

/// The same from a tensor (..., Tk) and `hidden`: bool, broadcastable to the scores, true = hidden;
/// undefined when nothing is.
at::Tensor sparsemax(const at::Tensor& scores, const at::Tensor& hidden);

/// The twin that defines the meaning, of plain differentiable operations.
at::Tensor sparsemax_composed(const at::Tensor& scores, const at::Tensor& hidden);

}  // namespace attend::ops
