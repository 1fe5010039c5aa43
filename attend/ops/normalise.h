// From scores to weights: softmax, sparsemax or nothing, over the keys that a mask leaves.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/mask.h"
#include "attend/ops/normaliser_kind.h"

namespace attend::ops {

/// weights (..., Tq, Tk) of scores of that shape, in their dtype:
///   kSoftmax    masked_softmax(), rows sum to 1
///   kSparsemax  sparsemax(), rows sum to 1
///   kNone       the scores themselves, 0 where hidden
/// `hidden` is bool, broadcastable to the scores, true = hidden; undefined when nothing is. A row
/// that may attend to nothing is zero, and so is its gradient; what is hidden is never read.
/// Throws InvalidArgument for other shapes.
at::Tensor normalise(const at::Tensor& scores, const at::Tensor& hidden, Normaliser normaliser);

/// The same under a mask: scores (B, Tq, Tk) or (B, H, Tq, Tk).
at::Tensor normalise(const at::Tensor& scores, const Mask& mask, Normaliser normaliser);

/// What the normalisers check: `scores` floating, of a dimension or more, and `hidden` undefined or
/// as above. Throws InvalidArgument in the name of `op`.
void check_hidden(const char* op, const at::Tensor& scores, const at::Tensor& hidden);

/// Scores floating, of (B, Tq, Tk) or (B, H, Tq, Tk).
void check_scores(const char* op, const at::Tensor& scores);

}  // namespace attend::ops
