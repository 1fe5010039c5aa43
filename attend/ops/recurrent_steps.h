// The layers of recurrent_sequence.h, step by step, with their gradients written out: a step is a
// matrix product and a few passes over memory. Private to ops.
#pragma once

#include "attend/ops/recurrent.h"

namespace attend::ops::detail {

/// An LSTM where `initial.cell` is defined, else an RNN, for checked arguments that takes_steps()
/// accepts; at least one step.
SequenceOutput recurrent_steps(const at::Tensor& rows, const TimeMajor& layout,
                               const CellState& initial, const RecurrentWeights& weights);

}  // namespace attend::ops::detail
