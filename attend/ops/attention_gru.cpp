#include "attend/ops/attention_gru.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/attention_gru_steps.h"
#include "attend/ops/check.h"
#include "attend/ops/gru_steps.h"
#include "attend/ops/masked_softmax.h"

namespace attend::ops {
namespace {

// The multipliers of dropout; undefined ones change nothing.
struct Multipliers {
  at::Tensor weights;              // on the attention weights, (n, S)
  std::vector<at::Tensor> layers;  // [l] on what enters layer l >= 1, (n, H)
};

at::Tensor times(const at::Tensor& x, const at::Tensor& multiplier) {
  return multiplier.defined() ? x * multiplier : x;
}

at::Tensor first_rows(const at::Tensor& x, int64_t n) {
  return !x.defined() || x.size(0) == n ? x : x.narrow(0, 0, n);
}

AttentionMemory first_rows(const AttentionMemory& memory, int64_t n) {
  return {first_rows(memory.values, n), first_rows(memory.keys, n), first_rows(memory.hidden, n)};
}

// Attention of one query a sentence: the top state (n, H) -> weights (n, S).
at::Tensor look(const at::Tensor& top, const AttentionMemory& memory,
                const AttentionGruWeights& weights) {
  const at::Tensor query = at::linear(top, weights.query).unsqueeze(1);  // (n, 1, A)
  return masked_softmax(additive_scores(query, memory.keys, weights.score).squeeze(1),
                        memory.hidden);
}

at::Tensor weighted_mean(const at::Tensor& weights, const at::Tensor& values) {
  return weights.unsqueeze(1).bmm(values).squeeze(1);  // (n, 1, S) x (n, S, M) -> (n, M)
}

// One step of n sentences; `states` move on. Returns the weights (n, S), before dropout.
at::Tensor step(const at::Tensor& input_gates, const AttentionMemory& memory,
                std::vector<at::Tensor>& states, const AttentionGruWeights& weights,
                const Multipliers& multipliers) {
  const at::Tensor seen = look(states.back(), memory, weights);
  const at::Tensor context = weighted_mean(times(seen, multipliers.weights), memory.values);
  at::Tensor gates = at::addmm(input_gates, context, weights.context.t());  // (n, 3H)
  for (size_t l = 0; l < states.size(); ++l) {
    const GruWeights& w = weights.layers[l];
    if (l > 0)
      gates = at::linear(times(states[l - 1], multipliers.layers[l]), w.input, w.input_bias);
    states[l] =
        gru_cell(gates, at::linear(states[l], w.hidden, w.hidden_bias), states[l]);  // (n, H)
  }
  return seen;
}

detail::AttentionGruMultipliers multipliers_of(const AttentionGruDropout& dropout, int64_t sources,
                                               int64_t hidden, size_t layers,
                                               const at::TensorOptions& options) {
  detail::AttentionGruMultipliers all{{}, std::vector<at::Tensor>(layers)};
  if (!dropout.state.active()) return all;
  const auto mask = [&](uint32_t site, int64_t columns) {
    return dropout_mask(dropout.state, site, *dropout.row_numbers, columns, options);
  };
  all.weights = mask(dropout.weight_site, sources);  // (N, S)
  for (size_t l = 1; l < layers; ++l)
    all.layers[l] = mask(dropout.layer_sites[l], hidden);  // (N, H)
  return all;
}

// What each step multiplies by.
std::vector<Multipliers> step_multipliers(const detail::AttentionGruMultipliers& all,
                                          const std::vector<int64_t>& live) {
  std::vector<Multipliers> steps(live.size());
  for (Multipliers& step : steps) step.layers.resize(all.layers.size());
  if (!all.weights.defined()) return steps;
  const auto of_weights = all.weights.split_with_sizes(live);
  for (size_t t = 0; t < steps.size(); ++t) steps[t].weights = of_weights[t];
  for (size_t l = 1; l < all.layers.size(); ++l) {
    const auto of_layer = all.layers[l].split_with_sizes(live);
    for (size_t t = 0; t < steps.size(); ++t) steps[t].layers[l] = of_layer[t];
  }
  return steps;
}

void check_states(const char* op, const at::Tensor& input_gates, const AttentionMemory& memory,
                  const std::vector<at::Tensor>& states, const AttentionGruWeights& weights,
                  int64_t rows) {
  check_floating(
      op, {input_gates, memory.values, memory.keys, weights.query, weights.score, weights.context});
  const int64_t width = weights.query.size(1);
  bool fits = input_gates.dim() == 2 && input_gates.size(0) == rows &&
              input_gates.size(1) == 3 * width && memory.values.dim() == 3 &&
              memory.keys.dim() == 3 && memory.keys.size(0) == memory.values.size(0) &&
              memory.keys.size(1) == memory.values.size(1) &&
              memory.keys.size(2) == weights.query.size(0) && !states.empty() &&
              states.size() == weights.layers.size();
  for (const at::Tensor& state : states)
    fits = fits && state.dim() == 2 && state.size(0) == memory.values.size(0) &&
           state.size(1) == width;
  if (!fits)
    refuse(op,
           "input gates (" + std::to_string(rows) + ", " + std::to_string(3 * width) +
               "), values (B, S, M), keys (B, S, " + std::to_string(weights.query.size(0)) +
               ") and a state (B, " + std::to_string(width) + ") for each of " +
               std::to_string(weights.layers.size()) + " layers",
           {input_gates, memory.values, memory.keys});
}

void check_dropout(const AttentionGruDropout& dropout, size_t layers, int64_t rows) {
  if (!dropout.state.active()) return;
  if (dropout.layer_sites.size() != layers || dropout.row_numbers == nullptr ||
      static_cast<int64_t>(dropout.row_numbers->size()) != rows)
    throw InvalidArgument("[attention_gru] expected dropout with " + std::to_string(layers) +
                          " sites and " + std::to_string(rows) + " row numbers");
}

// Checks, and what to multiply by.
detail::AttentionGruMultipliers prepare(const at::Tensor& input_gates, const TimeMajor& layout,
                                        const AttentionMemory& memory,
                                        const std::vector<at::Tensor>& initial,
                                        const AttentionGruWeights& weights,
                                        const AttentionGruDropout& dropout) {
  check_states("attention_gru", input_gates, memory, initial, weights, layout.starts.back());
  if (memory.values.size(0) != layout.size())
    refuse("attention_gru", "a memory of " + std::to_string(layout.size()) + " sentences",
           {memory.values});
  check_dropout(dropout, initial.size(), layout.starts.back());
  return multipliers_of(dropout, memory.values.size(1), weights.query.size(1), initial.size(),
                        input_gates.options().requires_grad(false));
}

at::Tensor nothing(const at::Tensor& input_gates, const AttentionGruWeights& weights) {
  return input_gates.new_zeros({0, weights.query.size(1)});
}

}  // namespace

at::Tensor attention_gru(const at::Tensor& input_gates, const TimeMajor& layout,
                         const AttentionMemory& memory, const std::vector<at::Tensor>& initial,
                         const AttentionGruWeights& weights, const AttentionGruDropout& dropout) {
  if (!detail::takes_steps(input_gates))
    return attention_gru_composed(input_gates, layout, memory, initial, weights, dropout);
  const auto multipliers = prepare(input_gates, layout, memory, initial, weights, dropout);
  if (layout.steps() == 0) return nothing(input_gates, weights);
  return detail::attention_gru_steps(input_gates, layout, memory, initial, weights, multipliers);
}

at::Tensor attention_gru_composed(const at::Tensor& input_gates, const TimeMajor& layout,
                                  const AttentionMemory& memory,
                                  const std::vector<at::Tensor>& initial,
                                  const AttentionGruWeights& weights,
                                  const AttentionGruDropout& dropout) {
  const std::vector<Multipliers> multipliers = step_multipliers(
      prepare(input_gates, layout, memory, initial, weights, dropout), layout.live);
  if (layout.steps() == 0) return nothing(input_gates, weights);
  const std::vector<at::Tensor> gates = input_gates.split_with_sizes(layout.live);
  std::vector<at::Tensor> states = initial;
  std::vector<at::Tensor> tops;
  for (size_t t = 0; t < layout.live.size(); ++t) {
    const int64_t live = layout.live[t];
    for (auto& state : states) state = first_rows(state, live);
    step(gates[t], first_rows(memory, live), states, weights, multipliers[t]);
    tops.push_back(states.back());
  }
  return at::cat(tops);  // (N, H)
}

at::Tensor attention_gru_step(const at::Tensor& input_gates, const AttentionMemory& memory,
                              std::vector<at::Tensor>& states, const AttentionGruWeights& weights) {
  check_states("attention_gru_step", input_gates, memory, states, weights, memory.values.size(0));
  return step(input_gates, memory, states, weights, {{}, std::vector<at::Tensor>(states.size())});
}

}  // namespace attend::ops
