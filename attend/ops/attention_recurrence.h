// A recurrent decoder with attention over a whole packed batch, for any cell and any mechanism,
// from smaller operations.
//
// At step t, for the sentences still going:
//   a    = weigh(h, memory)        h: the top layer's last state
//   c    = sum_s a_s memory_s
//   h'   = cell([c, x_t], h)       layer by layer
//
// Bahdanau et al. 2015, 3.1. attention_gru.h has the gradient of one case written out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "attend/ops/dropout.h"
#include "attend/ops/recurrent.h"

namespace attend::ops {

/// What is looked at: computed once a batch.
struct AttentionMemory {
  at::Tensor values;  ///< (B, S, M): the encoder's states, finite where hidden
  at::Tensor keys;    ///< (B, S, A): made of the values for the score, finite where hidden
  at::Tensor hidden;  ///< (B, S) bool, true where a cell is padding; undefined when none is
};

struct AttentionRecurrence {
  /// The top layer's state (n, H) and the memory of n sentences -> weights (n, S), 0 where hidden.
  std::function<at::Tensor(const at::Tensor&, const AttentionMemory&)> weigh;
  /// One layer's step from its two products, (n, G H) each.
  std::function<CellState(const at::Tensor&, const at::Tensor&, const CellState&)> cell;
  at::Tensor context;  ///< (G H, M): the columns of layer 0's input weight that meet the context
  std::vector<RecurrentWeights> layers;  ///< `input` of layer 0 is not read: its products come in
};

struct AttentionDropout {
  DropoutState state;
  uint32_t weight_site = 0;                           ///< on the attention weights
  std::vector<uint32_t> layer_sites;                  ///< [l]: on what enters layer l, l >= 1
  const std::vector<int64_t>* row_numbers = nullptr;  ///< of the time-major rows
};

/// input_gates (N, G H), time-major: layer 0's input products for x, bias included. `initial`, one
/// a layer, and `memory` are in the layout's order. Returns the top layer's hidden states (N, H). A
/// sentence without a source has the context 0. Differentiable as often as `weigh` and `cell` are.
/// Throws InvalidArgument for shapes that do not fit together, and for dropout without its sites
/// and row numbers.
at::Tensor attention_recurrence(const at::Tensor& input_gates, const TimeMajor& layout,
                                const AttentionMemory& memory,
                                const std::vector<CellState>& initial,
                                const AttentionRecurrence& recurrence,
                                const AttentionDropout& dropout);

/// One step without dropout: input_gates (B, G H); `states`, one a layer, move on; returns the
/// attention weights (B, S).
at::Tensor attention_recurrence_step(const at::Tensor& input_gates, const AttentionMemory& memory,
                                     std::vector<CellState>& states,
                                     const AttentionRecurrence& recurrence);

namespace detail {

/// Throws InvalidArgument unless these fit together.
void check_recurrence(const char* op, const at::Tensor& input_gates, const AttentionMemory& memory,
                      const std::vector<CellState>& states, const AttentionRecurrence& recurrence,
                      int64_t rows, int64_t sentences);

/// Throws InvalidArgument for dropout without a site a layer and N row numbers.
void check_dropout(const AttentionDropout& dropout, int64_t rows, size_t layers);

}  // namespace detail

}  // namespace attend::ops
