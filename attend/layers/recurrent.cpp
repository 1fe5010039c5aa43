#include "attend/layers/recurrent.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/gru_sequence.h"
#include "attend/ops/recurrent_sequence.h"

namespace attend {
namespace {

int64_t blocks(CellKind cell) {
  return cell == CellKind::kRnn ? 1 : cell == CellKind::kLstm ? 4 : 3;
}

ops::SequenceOutput sequence(CellKind cell, const at::Tensor& rows, const ops::TimeMajor& layout,
                             const ops::CellState& initial, const ops::RecurrentWeights& weights) {
  switch (cell) {
    case CellKind::kRnn:
      return ops::rnn_sequence(rows, layout, initial, weights);
    case CellKind::kLstm:
      return ops::lstm_sequence(rows, layout, initial, weights);
    case CellKind::kGru: {
      ops::GruOutput output = ops::gru_sequence(rows, layout, initial.hidden, weights);
      return {output.rows, {output.final, {}}};
    }
  }
  throw InternalError("[recurrent] an unknown cell");
}

}  // namespace

std::string_view cell_name(CellKind cell) {
  switch (cell) {
    case CellKind::kRnn:
      return "rnn";
    case CellKind::kLstm:
      return "lstm";
    case CellKind::kGru:
      return "gru";
  }
  throw InternalError("[recurrent] an unknown cell");
}

ops::CellState cell_step(CellKind cell, const at::Tensor& input_gates,
                         const at::Tensor& hidden_gates, const ops::CellState& state) {
  switch (cell) {
    case CellKind::kRnn:
      return ops::rnn_cell(input_gates, hidden_gates);
    case CellKind::kLstm:
      return ops::lstm_cell(input_gates, hidden_gates, state);
    case CellKind::kGru:
      return {ops::gru_cell(input_gates, hidden_gates, state.hidden), {}};
  }
  throw InternalError("[recurrent] an unknown cell");
}

Recurrent::Recurrent(const ParameterScope& scope, const Options& options)
    : cell_(options.cell), hidden_(options.hidden), directions_(options.bidirectional ? 2 : 1) {
  if (options.layers < 1)
    throw InvalidArgument("[recurrent] expected at least 1 layer, found " +
                          std::to_string(options.layers));
  for (int64_t l = 0; l < options.layers; ++l) {
    const ParameterScope at = scope.scope("layers." + std::to_string(l));
    const int64_t inputs = l == 0 ? options.inputs : width();
    add_layer(at, inputs, "");
    if (options.bidirectional) add_layer(at, inputs, "_reverse");
    sites_.push_back(at.site("input"));
  }
}

void Recurrent::add_layer(const ParameterScope& at, int64_t inputs, const std::string& suffix) {
  const int64_t rows = blocks(cell_) * hidden_;
  Layer layer;
  layer.input = at.add("weight_ih" + suffix, {rows, inputs}, Init::kXavierUniform);
  layer.hidden = at.add("weight_hh" + suffix, {rows, hidden_}, Init::kXavierUniform);
  layer.input_bias = at.add("bias_ih" + suffix, {rows}, Init::kZeros);
  layer.hidden_bias = at.add("bias_hh" + suffix, {rows}, Init::kZeros);
  layers_.push_back(layer);
}

ops::RecurrentWeights Recurrent::weights_at(int64_t index) const {
  const Layer& l = layers_[static_cast<size_t>(index)];
  return {*l.input, *l.hidden, *l.input_bias, *l.hidden_bias};
}

void Recurrent::check_states(const States& states) const {
  if (states.size() != layers_.size())
    throw InvalidArgument("[recurrent] expected " + std::to_string(layers_.size()) +
                          " states, one a layer and direction, found " +
                          std::to_string(states.size()));
}

ops::SequenceOutput Recurrent::read(const at::Tensor& rows, const ops::TimeMajor& layout,
                                    const States& initial, int64_t index) const {
  return sequence(cell_, rows, layout,
                  initial.empty() ? ops::CellState() : initial[static_cast<size_t>(index)],
                  weights_at(index));
}

Recurrent::Output Recurrent::forward(const at::Tensor& rows, const ops::TimeMajor& layout,
                                     const States& initial, const ops::DropoutState& dropout,
                                     const std::vector<int64_t>& row_numbers) const {
  if (!initial.empty()) check_states(initial);
  const at::Tensor turned = directions_ == 2 ? ops::reversed_rows(layout) : at::Tensor();
  Output output{rows, {}};
  for (int64_t l = 0; l < layers(); ++l) {
    if (l > 0) output.rows = ops::dropout(output.rows, dropout, site(l), row_numbers);
    ops::SequenceOutput forth = read(output.rows, layout, initial, l * directions_);
    output.final.push_back(forth.final);
    if (directions_ == 2) {
      ops::SequenceOutput back =
          read(output.rows.index_select(0, turned), layout, initial, l * directions_ + 1);
      output.final.push_back(back.final);
      output.rows = at::cat({forth.rows, back.rows.index_select(0, turned)}, 1);  // (N, 2H)
    } else {
      output.rows = forth.rows;  // (N, H)
    }
  }
  return output;
}

at::Tensor Recurrent::step(const at::Tensor& x, States& states) const {
  if (directions_ == 2)
    throw InvalidArgument(
        "[recurrent] a bidirectional stack has no steps: it reads from both ends");
  check_states(states);
  at::Tensor below = x;
  for (int64_t l = 0; l < layers(); ++l) {
    const ops::RecurrentWeights w = weights(l);
    ops::CellState& state = states[static_cast<size_t>(l)];
    state = cell_step(cell_, at::linear(below, w.input, w.input_bias),
                      at::linear(state.hidden, w.hidden, w.hidden_bias), state);
    below = state.hidden;
  }
  return below;  // (B, H)
}

Recurrent::States select_rows(const Recurrent::States& states, const at::Tensor& index) {
  Recurrent::States selected = states;
  for (ops::CellState& state : selected) {
    state.hidden = state.hidden.index_select(0, index);
    if (state.cell.defined()) state.cell = state.cell.index_select(0, index);
  }
  return selected;
}

}  // namespace attend
