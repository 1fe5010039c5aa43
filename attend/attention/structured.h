// Structured self-attention: Lin et al. 2017, "A Structured Self-attentive Sentence Embedding".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "attend/ops/attention.h"
#include "attend/ops/linear.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// A sentence as r pools of its own states: A = softmax(W_s2 tanh(W_s1 H^T)), M = A H; eq. 6, 7.
/// Parameters: features.weight (hidden, size), the paper's W_s1, and hops.weight (hops, hidden),
/// W_s2, whose rows are queries that are learned.
class StructuredAttention {
 public:
  struct Options {
    int64_t size = 0;    ///< D, width of a state; 2 u in the paper
    int64_t hidden = 0;  ///< d_a
    int64_t hops = 1;    ///< r, how many pools
    Init init = Init::kXavierUniform;
  };

  /// Throws InvalidArgument for sizes below 1.
  StructuredAttention(const ParameterScope& scope, const Options& options);

  /// states (B, T, size) under a mask of (B, hops, T), such as Mask::padding(lengths)
  /// -> output M (B, hops, size), weights A (B, hops, T) if asked for. A sentence of length 0 gives
  /// zeros; what is hidden reaches nothing. Throws InvalidArgument for other shapes.
  ops::AttentionResult forward(const at::Tensor& states, const Mask& mask,
                               const ops::AttentionOptions& options = {}) const;

 private:
  Linear features_;
  Parameter hops_;
};

/// |A A^T - I|_F^2 of each sentence, eq. 8, which keeps the hops apart: weights (B, r, T) -> (B).
/// To be added to the loss times a small factor; a sentence of length 0 counts r, without gradient.
at::Tensor redundancy_penalty(const at::Tensor& weights);

}  // namespace attend
