// A simple recurrent layer, and one with long short-term memory, over a whole packed batch.
//
//   RNN:   h' = tanh(W_i x + b_i + W_h h + b_h)
//   LSTM:  i, f, g, o = the blocks of W_i x + b_i + W_h h + b_h
//          c' = sigmoid(f) c + sigmoid(i) tanh(g)
//          h' = sigmoid(o) tanh(c')
//
// Elman 1990; Hochreiter & Schmidhuber 1997 with the forget gate of Gers et al. 2000, without
// peepholes, as cuDNN and PyTorch have it. The third cell, whose reset gate acts on a part of the
// sum alone, is in gru_sequence.h.
#pragma once

#include "attend/ops/recurrent.h"

namespace attend::ops {

/// One layer over time-major rows (N, I). The tensors of `initial` are (B, H), in the layout's
/// order, or undefined for zeros. Sequences may be empty: their final state is their initial one.
/// Differentiable once on the CPU in float and double, where the gradient is written out. Throws
/// InvalidArgument for shapes that do not fit together.
SequenceOutput rnn_sequence(const at::Tensor& rows, const TimeMajor& layout,
                            const CellState& initial, const RecurrentWeights& weights);
SequenceOutput lstm_sequence(const at::Tensor& rows, const TimeMajor& layout,
                             const CellState& initial, const RecurrentWeights& weights);

/// The same by at::rnn_tanh and at::lstm: for other devices and dtypes, and to compare with.
SequenceOutput rnn_sequence_composed(const at::Tensor& rows, const TimeMajor& layout,
                                     const CellState& initial, const RecurrentWeights& weights);
SequenceOutput lstm_sequence_composed(const at::Tensor& rows, const TimeMajor& layout,
                                      const CellState& initial, const RecurrentWeights& weights);

/// One step for B sequences from the products: input_gates (B, G H) = W_i x + b_i and hidden_gates
/// (B, G H) = W_h h + b_h.
CellState rnn_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates);
CellState lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                    const CellState& state);

}  // namespace attend::ops
