// What the recurrent operations share: the weights of a layer, and where a layer stands.
#pragma once

#include <ATen/core/Tensor.h>

#include "attend/ops/packed.h"

namespace attend::ops {

/// One layer of any cell. G is the number of its blocks of H rows: 1 (RNN), 3 (GRU: reset, update,
/// new), 4 (LSTM: input, forget, new, output); the order is PyTorch's.
struct RecurrentWeights {
  at::Tensor input;        ///< (G H, I)
  at::Tensor hidden;       ///< (G H, H)
  at::Tensor input_bias;   ///< (G H)
  at::Tensor hidden_bias;  ///< (G H)
};

/// Where a layer stands for B sequences.
struct CellState {
  at::Tensor hidden;  ///< (B, H)
  at::Tensor cell;    ///< (B, H): an LSTM's memory; undefined for the other cells
};

struct SequenceOutput {
  at::Tensor rows;  ///< (N, H), time-major: the hidden state after each step
  CellState final;  ///< (B, H), in the layout's order: each sequence's last state
};

namespace detail {

/// Throws InvalidArgument unless rows (N, I), an `initial` of (B, H) that may be undefined, and the
/// weights of a layer with G blocks fit together.
void check_sequence(const char* op, int64_t blocks, const at::Tensor& rows, const TimeMajor& layout,
                    const at::Tensor& initial, const RecurrentWeights& weights);

/// `initial`, or zeros (B, H) where it is undefined.
at::Tensor initial_or_zeros(const at::Tensor& initial, const at::Tensor& rows,
                            const TimeMajor& layout, const RecurrentWeights& weights);

/// The last states (n, H) of the sequences that are not empty, and under them those of the empty
/// ones, which come last in the layout and stay at their initial state (B, H).
at::Tensor join_empty(const at::Tensor& last, const at::Tensor& initial);

}  // namespace detail

}  // namespace attend::ops
