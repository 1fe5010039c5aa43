// The output projection and its cross-entropy as one op: the logits of a whole batch never exist.
#pragma once

#include <ATen/core/Tensor.h>

namespace attend::ops {

/// sum_n -log softmax(hidden_n W^T + bias)[target_n], in nats.
///
///   hidden   (N, D)  hidden states at real target positions
///   weight   (V, D)
///   bias     (V), or undefined for none
///   targets  (N) int64, each in [0, V)
///   returns  a scalar of hidden's dtype
///
/// Works through blocks of rows, forward and gradient in one pass: memory is N * D + V * D, never
/// N * V. Differentiable once in hidden, weight and bias. Throws InvalidArgument for other shapes
/// and for targets out of range (on a device LibTorch's own check has to do: looking would stall
/// it).
at::Tensor projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight,
                                   const at::Tensor& bias, const at::Tensor& targets);

/// The composed twin: the same value by plain operations, holding all logits.
at::Tensor projected_cross_entropy_composed(const at::Tensor& hidden, const at::Tensor& weight,
                                            const at::Tensor& bias, const at::Tensor& targets);

}  // namespace attend::ops
