#include "attend/ops/recurrent_sequence.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/rnn_tanh.h>

#include "attend/ops/fused.h"
#include "attend/ops/recurrent_steps.h"

namespace attend::ops {
namespace {

constexpr char kRnn[] = "rnn_sequence";
constexpr char kLstm[] = "lstm_sequence";

CellState check_rnn(const at::Tensor& rows, const TimeMajor& layout, const CellState& initial,
                    const RecurrentWeights& weights) {
  detail::check_sequence(kRnn, 1, rows, layout, initial.hidden, weights);
  return {detail::initial_or_zeros(initial.hidden, rows, layout, weights), {}};
}

CellState check_lstm(const at::Tensor& rows, const TimeMajor& layout, const CellState& initial,
                     const RecurrentWeights& weights) {
  detail::check_sequence(kLstm, 4, rows, layout, initial.hidden, weights);
  detail::check_sequence(kLstm, 4, rows, layout, initial.cell, weights);
  return {detail::initial_or_zeros(initial.hidden, rows, layout, weights),
          detail::initial_or_zeros(initial.cell, rows, layout, weights)};
}

// The initial states that at::lstm and its like want: (1, n, H) of the n sequences not empty.
at::Tensor live_part(const at::Tensor& state, const TimeMajor& layout) {
  return state.narrow(0, 0, layout.live.front()).unsqueeze(0);
}

std::vector<at::Tensor> list_of(const RecurrentWeights& w) {
  return {w.input, w.hidden, w.input_bias, w.hidden_bias};
}

SequenceOutput nothing(const at::Tensor& rows, CellState start) {
  return {rows.new_zeros({0, start.hidden.size(1)}), std::move(start)};
}

}  // namespace

SequenceOutput rnn_sequence(const at::Tensor& rows, const TimeMajor& layout,
                            const CellState& initial, const RecurrentWeights& weights) {
  if (layout.steps() == 0 || !detail::takes_steps(rows))
    return rnn_sequence_composed(rows, layout, initial, weights);
  return detail::recurrent_steps(rows, layout, check_rnn(rows, layout, initial, weights), weights);
}

SequenceOutput lstm_sequence(const at::Tensor& rows, const TimeMajor& layout,
                             const CellState& initial, const RecurrentWeights& weights) {
  if (layout.steps() == 0 || !detail::takes_steps(rows))
    return lstm_sequence_composed(rows, layout, initial, weights);
  return detail::recurrent_steps(rows, layout, check_lstm(rows, layout, initial, weights), weights);
}

SequenceOutput rnn_sequence_composed(const at::Tensor& rows, const TimeMajor& layout,
                                     const CellState& initial, const RecurrentWeights& weights) {
  const CellState start = check_rnn(rows, layout, initial, weights);
  if (layout.steps() == 0) return nothing(rows, start);
  auto [states, last] =
      at::rnn_tanh(rows, layout.live_tensor, live_part(start.hidden, layout), list_of(weights),
                   /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false,
                   /*bidirectional=*/false);
  return {states, {detail::join_empty(last.squeeze(0), start.hidden), {}}};
}

SequenceOutput lstm_sequence_composed(const at::Tensor& rows, const TimeMajor& layout,
                                      const CellState& initial, const RecurrentWeights& weights) {
  const CellState start = check_lstm(rows, layout, initial, weights);
  if (layout.steps() == 0) return nothing(rows, start);
  const std::vector<at::Tensor> first = {live_part(start.hidden, layout),
                                         live_part(start.cell, layout)};
  auto [states, hidden, cell] =
      at::lstm(rows, layout.live_tensor, first, list_of(weights),
               /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false,
               /*bidirectional=*/false);
  return {states,
          {detail::join_empty(hidden.squeeze(0), start.hidden),
           detail::join_empty(cell.squeeze(0), start.cell)}};
}

CellState rnn_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates) {
  return {(input_gates + hidden_gates).tanh(), {}};
}

CellState lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                    const CellState& state) {
  const int64_t width = state.hidden.size(1);
  const at::Tensor gates = input_gates + hidden_gates;  // (B, 4H)
  const at::Tensor kept = gates.narrow(1, 0, 2 * width).sigmoid();
  const at::Tensor candidate = gates.narrow(1, 2 * width, width).tanh();
  const at::Tensor cell =
      kept.narrow(1, width, width) * state.cell + kept.narrow(1, 0, width) * candidate;
  return {gates.narrow(1, 3 * width, width).sigmoid() * cell.tanh(), cell};
}

}  // namespace attend::ops
