// The recurrent decoder with attention (Bahdanau, Cho, Bengio 2015) over a whole packed batch.
//
// At step t, for the sentences still going:
//   e_s  = v^T tanh(W_q h + key_s)        h: the top layer's last state; key_s = W_k memory_s
//   a    = softmax over the source's real tokens
//   c    = sum_s a_s memory_s
//   h'   = GRU([c, x_t], h)               layer by layer
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "attend/ops/attention_recurrence.h"

namespace attend::ops {

struct AttentionGruWeights {
  at::Tensor query;    ///< (A, H)
  at::Tensor score;    ///< (A)
  at::Tensor context;  ///< (3H, M): the columns of layer 0's input weight that meet the context
  std::vector<RecurrentWeights> layers;  ///< `input` of layer 0 is not read: its products come in
};

/// input_gates (N, 3H), time-major: layer 0's input products for x, bias included. `initial`, one
/// (B, H) a layer, and `memory` are in the layout's order. Returns the top layer's states (N, H).
/// A sentence without a source has the context 0. Differentiable once; on the CPU in float and
/// double the gradient is written out (fused/attention_gru.h). Throws InvalidArgument for shapes
/// that do not fit together, and for dropout without its sites and row numbers.
at::Tensor attention_gru(const at::Tensor& input_gates, const TimeMajor& layout,
                         const AttentionMemory& memory, const std::vector<at::Tensor>& initial,
                         const AttentionGruWeights& weights, const AttentionDropout& dropout);

/// The same by attention_recurrence(): for other devices and dtypes, and to compare with.
at::Tensor attention_gru_composed(const at::Tensor& input_gates, const TimeMajor& layout,
                                  const AttentionMemory& memory,
                                  const std::vector<at::Tensor>& initial,
                                  const AttentionGruWeights& weights,
                                  const AttentionDropout& dropout);

/// One step without dropout: input_gates (B, 3H); `states`, one (B, H) a layer, move on; returns
/// the attention weights (B, S).
at::Tensor attention_gru_step(const at::Tensor& input_gates, const AttentionMemory& memory,
                              std::vector<at::Tensor>& states, const AttentionGruWeights& weights);

}  // namespace attend::ops
