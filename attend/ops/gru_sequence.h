// A gated recurrent unit over a whole packed batch.
//
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
//   h' = (1 - z) n + z h
//
// Cho et al. 2014, with the reset gate after the product, as cuDNN and PyTorch have it; the gates
// lie in the order r, z, n in each weight.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/recurrent.h"

namespace attend::ops {

struct GruOutput {
  at::Tensor rows;   ///< (N, H), time-major: the state after each step
  at::Tensor final;  ///< (B, H), in the layout's order: each sequence's last state
};

/// One layer over time-major rows (N, I). `initial` (B, H), in the layout's order, or undefined for
/// zeros. Sequences may be empty: their final state is their initial one. Differentiable once on
/// the CPU in float and double, where the gradient is written out (fused/gru.h). Throws
/// InvalidArgument for shapes that do not fit together.
GruOutput gru_sequence(const at::Tensor& rows, const TimeMajor& layout, const at::Tensor& initial,
                       const RecurrentWeights& weights);

/// The same by at::gru: for other devices and dtypes, and to compare with.
GruOutput gru_sequence_composed(const at::Tensor& rows, const TimeMajor& layout,
                                const at::Tensor& initial, const RecurrentWeights& weights);

/// One step for B sequences from the products: input_gates (B, 3H) = W_i x + b_i, hidden_gates
/// (B, 3H) = W_h h + b_h, and h (B, H). Returns h' (B, H).
at::Tensor gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                    const at::Tensor& hidden);

}  // namespace attend::ops
