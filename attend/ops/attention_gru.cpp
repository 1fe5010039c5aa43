#include "attend/ops/attention_gru.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include "attend/core/errors.h"
#include "attend/core/shape.h"
#include "attend/ops/packed_attention.h"

namespace attend::ops {
namespace {

at::Tensor first_rows(const at::Tensor& x, int64_t n) {
  return !x.defined() || x.size(0) == n ? x : x.narrow(0, 0, n);
}

AttentionMemory first_rows(const AttentionMemory& memory, int64_t n) {
  return {first_rows(memory.values, n), first_rows(memory.keys, n), first_rows(memory.allowed, n),
          memory.empty_sources};
}

at::Tensor weighted_mean(const at::Tensor& weights, const at::Tensor& values) {
  return weights.unsqueeze(1).bmm(values).squeeze(1);  // (n, 1, S) x (n, S, M) -> (n, M)
}

// The slices of a multiplier, one a step; undefined ones when dropout is off.
std::vector<at::Tensor> step_multipliers(const AttentionGruDropout& dropout, uint32_t site,
                                         int64_t columns, const TimeMajor& layout,
                                         const at::TensorOptions& options) {
  if (!dropout.state.active()) return std::vector<at::Tensor>(layout.live.size());
  return dropout_mask(dropout.state, site, *dropout.row_numbers, columns, options)
      .split_with_sizes(layout.live);
}

void check(const at::Tensor& input_gates, const TimeMajor& layout, const AttentionMemory& memory,
           const std::vector<at::Tensor>& initial, const AttentionGruWeights& weights) {
  const int64_t hidden = weights.query.size(1);
  const bool fits = input_gates.dim() == 2 && input_gates.size(0) == layout.starts.back() &&
                    input_gates.size(1) == 3 * hidden && memory.values.dim() == 3 &&
                    memory.values.size(0) == layout.size() && memory.keys.dim() == 3 &&
                    memory.keys.size(2) == weights.query.size(0) &&
                    initial.size() == weights.layers.size();
  if (!fits)
    throw InvalidArgument("[attention_gru] expected input gates (" +
                          std::to_string(layout.starts.back()) + ", " + std::to_string(3 * hidden) +
                          ") and a memory of " + std::to_string(layout.size()) +
                          " sentences, found " + core::shape_text(input_gates.sizes()) + " and " +
                          core::shape_text(memory.values.sizes()));
}

}  // namespace

at::Tensor additive_weights(const at::Tensor& hidden, const AttentionMemory& memory,
                            const AttentionGruWeights& weights) {
  const at::Tensor query = at::linear(hidden, weights.query).unsqueeze(1);       // (n, 1, A)
  const at::Tensor scores = (memory.keys + query).tanh().matmul(weights.score);  // (n, S)
  return attention_weights(scores, memory.allowed, memory.empty_sources);
}

at::Tensor attention_gru(const at::Tensor& input_gates, const TimeMajor& layout,
                         const AttentionMemory& memory, const std::vector<at::Tensor>& initial,
                         const AttentionGruWeights& weights, const AttentionGruDropout& dropout) {
  check(input_gates, layout, memory, initial, weights);
  if (layout.steps() == 0) return input_gates.new_zeros({0, weights.query.size(1)});
  const at::TensorOptions options = input_gates.options().requires_grad(false);
  const std::vector<at::Tensor> gates = input_gates.split_with_sizes(layout.live);
  const std::vector<at::Tensor> weight_multipliers =
      step_multipliers(dropout, dropout.weight_site, memory.values.size(1), layout, options);
  std::vector<std::vector<at::Tensor>> layer_multipliers(weights.layers.size());
  for (size_t l = 1; l < weights.layers.size(); ++l)
    layer_multipliers[l] =
        step_multipliers(dropout, dropout.layer_sites[l], weights.query.size(1), layout, options);

  std::vector<at::Tensor> states = initial;
  std::vector<at::Tensor> tops;
  for (size_t t = 0; t < layout.live.size(); ++t) {
    const int64_t live = layout.live[t];
    const AttentionMemory seen = first_rows(memory, live);
    for (auto& state : states) state = first_rows(state, live);

    at::Tensor look = additive_weights(states.back(), seen, weights);  // (n, S)
    if (weight_multipliers[t].defined()) look = look * weight_multipliers[t];
    const at::Tensor context = weighted_mean(look, seen.values);  // (n, M)

    at::Tensor below = at::addmm(gates[t], context, weights.context.t());  // (n, 3H)
    for (size_t l = 0; l < states.size(); ++l) {
      const GruWeights& w = weights.layers[l];
      if (l > 0) {
        if (layer_multipliers[l][t].defined()) below = below * layer_multipliers[l][t];
        below = at::linear(below, w.input, w.input_bias);
      }
      states[l] =
          gru_cell(below, at::linear(states[l], w.hidden, w.hidden_bias), states[l]);  // (n, H)
      below = states[l];
    }
    tops.push_back(below);
  }
  return at::cat(tops);  // (N, H)
}

at::Tensor attention_gru_step(const at::Tensor& input_gates, const AttentionMemory& memory,
                              std::vector<at::Tensor>& states, const AttentionGruWeights& weights) {
  const at::Tensor look = additive_weights(states.back(), memory, weights);  // (B, S)
  at::Tensor below =
      at::addmm(input_gates, weighted_mean(look, memory.values), weights.context.t());
  for (size_t l = 0; l < states.size(); ++l) {
    const GruWeights& w = weights.layers[l];
    if (l > 0) below = at::linear(below, w.input, w.input_bias);
    states[l] = gru_cell(below, at::linear(states[l], w.hidden, w.hidden_bias), states[l]);
    below = states[l];
  }
  return look;
}

}  // namespace attend::ops
