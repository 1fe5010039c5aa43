// Softmax over the keys that a mask leaves.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/mask.h"

namespace attend::ops {

/// weights_ij = exp(s_ij) / sum over the visible k of exp(s_ik); 0 where j is hidden from i.
///
/// `scores` (B, Tq, Tk) or (B, H, Tq, Tk), any floating dtype; it is left as it is. The result has
/// its shape and dtype. A row that may attend to nothing is zero, and so is its gradient. NaN or
/// infinity in a hidden score, or in the gradient that arrives there, reaches nothing. With
/// Mask::padding(lengths) this is the chapter's masked_softmax(X, valid_lens), lengths 0 apart.
/// Throws InvalidArgument for other shapes and for a mask that does not fit.
at::Tensor masked_softmax(const at::Tensor& scores, const Mask& mask);

/// The same from a tensor: `hidden` is bool, broadcastable to the scores, true = hidden; undefined
/// when nothing is.
at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& hidden);

/// The twin that defines the meaning, of plain differentiable operations.
at::Tensor masked_softmax_composed(const at::Tensor& scores, const at::Tensor& hidden);

}  // namespace attend::ops
