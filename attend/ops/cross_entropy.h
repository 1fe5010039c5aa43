// Cross-entropy of logits that are there already; see projected_cross_entropy.h where they need not
// be.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace attend::ops {

/// sum_n -log softmax(logits_n)[target_n], in nats.
///
///   logits   (N, V)  any floating dtype and device
///   targets  (N) int64, each in [0, V)
///   returns  a scalar of the logits' dtype
///
/// Differentiable once in the logits, which are kept for that; nothing else of their size is.
/// Throws InvalidArgument for other shapes and for targets out of range (on a device LibTorch's own
/// check has to do).
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

/// The composed twin, of log_softmax and gather.
at::Tensor cross_entropy_composed(const at::Tensor& logits, const at::Tensor& targets);

/// Why cross_entropy() takes the twin for these, in words; empty when it takes the kernel.
std::string cross_entropy_unsupported(const at::Tensor& logits);

namespace detail {
/// Throws InvalidArgument unless all are int64 in [0, vocabulary), and on this device.
void check_targets(const char* op, const at::Tensor& targets, int64_t vocabulary,
                   at::Device device);
}  // namespace detail

}  // namespace attend::ops
