#include "attend/layers/gru.h"

#include <ATen/ops/linear.h>

#include "attend/core/errors.h"

namespace attend {

Gru::Gru(const ParameterScope& scope, const Options& options) : hidden_(options.hidden) {
  if (options.layers < 1)
    throw InvalidArgument("[gru] expected at least 1 layer, found " +
                          std::to_string(options.layers));
  for (int64_t l = 0; l < options.layers; ++l) {
    const ParameterScope at = scope.scope("layers." + std::to_string(l));
    const int64_t inputs = l == 0 ? options.inputs : options.hidden;
    Layer layer;
    layer.input = at.add("weight_ih", {3 * options.hidden, inputs}, Init::kXavierUniform);
    layer.hidden = at.add("weight_hh", {3 * options.hidden, options.hidden}, Init::kXavierUniform);
    layer.input_bias = at.add("bias_ih", {3 * options.hidden}, Init::kZeros);
    layer.hidden_bias = at.add("bias_hh", {3 * options.hidden}, Init::kZeros);
    layers_.push_back(layer);
    sites_.push_back(at.site("input"));
  }
}

ops::GruWeights Gru::weights(int64_t layer) const {
  const Layer& l = layers_[static_cast<size_t>(layer)];
  return {*l.input, *l.hidden, *l.input_bias, *l.hidden_bias};
}

Gru::Output Gru::forward(const at::Tensor& rows, const ops::TimeMajor& layout,
                         const std::vector<at::Tensor>& initial, const ops::DropoutState& dropout,
                         const std::vector<int64_t>& row_numbers) const {
  if (!initial.empty()) check_states(initial);
  Output output{rows, {}};
  for (int64_t l = 0; l < layers(); ++l) {
    if (l > 0) output.rows = ops::dropout(output.rows, dropout, site(l), row_numbers);
    const at::Tensor start = initial.empty() ? at::Tensor() : initial[static_cast<size_t>(l)];
    ops::GruOutput layer = ops::gru_sequence(output.rows, layout, start, weights(l));
    output.rows = layer.rows;  // (N, H)
    output.final.push_back(layer.final);
  }
  return output;
}

void Gru::check_states(const std::vector<at::Tensor>& states) const {
  if (states.size() != layers_.size())
    throw InvalidArgument("[gru] expected " + std::to_string(layers_.size()) +
                          " states, one a layer, found " + std::to_string(states.size()));
}

at::Tensor Gru::step(const at::Tensor& x, std::vector<at::Tensor>& states) const {
  check_states(states);
  at::Tensor below = x;
  for (int64_t l = 0; l < layers(); ++l) {
    const ops::GruWeights w = weights(l);
    at::Tensor& state = states[static_cast<size_t>(l)];
    state = ops::gru_cell(at::linear(below, w.input, w.input_bias),
                          at::linear(state, w.hidden, w.hidden_bias), state);
    below = state;
  }
  return below;  // (B, H)
}

}  // namespace attend
