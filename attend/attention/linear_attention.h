// Linear attention: Katharopoulos, Vyas, Pappas, Fleuret 2020, "Transformers are RNNs". The weight
// of a pair is phi(q) . phi(k) over its row's sum, phi(x) = elu(x) + 1, so that keys and values
// can be summed before a query meets them: the cost is linear in the length.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/attention.h"

namespace attend {

/// phi(x) = elu(x) + 1, computed as exp(x) below 0, so that it stays positive.
at::Tensor linear_features(const at::Tensor& x);

/// What a causal pass keeps of the keys and values seen so far: its size does not grow. A value:
/// copies stand alone.
struct LinearState {
  at::Tensor sums;        ///< S = sum_j phi(k_j) v_j^T, (B, H, D, Dv); undefined at the start
  at::Tensor normaliser;  ///< z = sum_j phi(k_j), (B, H, D)
  int64_t length = 0;     ///< keys seen
  /// phi(k) of all of them, (B, H, T, D): kept only while weights are asked for, who can't be made
  /// from S and z.
  at::Tensor features;
};

/// phi(q_i) . S_i / phi(q_i) . z_i over the keys that i may see: q (B, H, Tq, D), k (B, H, Tk, D),
/// v (B, H, Tk, Dv) -> output (B, H, Tq, Dv), weights (B, H, Tq, Tk) if asked for (the implied
/// ones, at a quadratic cost).
///
/// `mask` may hide keys (Mask::keys, Mask::padding of one length a sentence) and what lies ahead
/// (Mask::causal() without an offset); any other condition has no linear form and is refused. A
/// query that sees no key gives zeros; hidden NaN reaches nothing. No dropout acts, there being no
/// weights; half and bfloat16 are summed in float. Throws InvalidArgument.
ops::AttentionResult linear_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const Mask& mask, bool return_weights = false);

/// The recurrent form: feeds T more tokens, q, k (B, H, T, D) and v (B, H, T, Dv), each of which
/// sees those before it and itself, and moves `state` on -> output (B, H, T, Dv), weights
/// (B, H, T, length). Same numbers as the causal pass over all. To get weights, ask from the first
/// token on; throws InvalidArgument when they come to mind later, and for other sentences, heads or
/// widths than the state's.
ops::AttentionResult linear_attention_step(const at::Tensor& q, const at::Tensor& k,
                                           const at::Tensor& v, LinearState& state,
                                           bool return_weights = false);

}  // namespace attend
