#include "attend/ops/attention_recurrence.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend::ops {
namespace {

// What dropout multiplies by; undefined ones change nothing.
struct AttentionMultipliers {
  at::Tensor weights;              // (N, S), on the attention weights
  std::vector<at::Tensor> layers;  // [l] (N, H), on what enters layer l >= 1
};

AttentionMultipliers attention_multipliers(const AttentionDropout& dropout,
                                           const at::Tensor& values, int64_t hidden,
                                           size_t layers) {
  AttentionMultipliers all{{}, std::vector<at::Tensor>(layers)};
  if (!dropout.state.active()) return all;
  const auto mask = [&](uint32_t site, int64_t columns) {
    return dropout_mask(dropout.state, site, *dropout.row_numbers, columns,
                        values.options().requires_grad(false));
  };
  all.weights = mask(dropout.weight_site, values.size(1));  // (N, S)
  for (size_t l = 1; l < layers; ++l)
    all.layers[l] = mask(dropout.layer_sites[l], hidden);  // (N, H)
  return all;
}

at::Tensor times(const at::Tensor& x, const at::Tensor& multiplier) {
  return multiplier.defined() ? x * multiplier : x;
}

at::Tensor first_rows(const at::Tensor& x, int64_t n) {
  return !x.defined() || x.size(0) == n ? x : x.narrow(0, 0, n);
}

AttentionMemory first_rows(const AttentionMemory& memory, int64_t n) {
  return {first_rows(memory.values, n), first_rows(memory.keys, n), first_rows(memory.hidden, n)};
}

at::Tensor weighted_mean(const at::Tensor& weights, const at::Tensor& values) {
  return weights.unsqueeze(1).bmm(values).squeeze(1);  // (n, 1, S) x (n, S, M) -> (n, M)
}

// One step of n sentences; `states` move on. Returns the weights (n, S), before dropout.
at::Tensor step(const at::Tensor& input_gates, const AttentionMemory& memory,
                std::vector<CellState>& states, const AttentionRecurrence& recurrence,
                const AttentionMultipliers& multipliers) {
  const at::Tensor seen = recurrence.weigh(states.back().hidden, memory);
  const at::Tensor context = weighted_mean(times(seen, multipliers.weights), memory.values);
  at::Tensor gates = at::addmm(input_gates, context, recurrence.context.t());  // (n, G H)
  for (size_t l = 0; l < states.size(); ++l) {
    const RecurrentWeights& w = recurrence.layers[l];
    if (l > 0)
      gates = at::linear(times(states[l - 1].hidden, multipliers.layers[l]), w.input, w.input_bias);
    states[l] = recurrence.cell(gates, at::linear(states[l].hidden, w.hidden, w.hidden_bias),
                                states[l]);  // (n, H)
  }
  return seen;
}

// What each step multiplies by.
std::vector<AttentionMultipliers> step_multipliers(const AttentionMultipliers& all,
                                                   const std::vector<int64_t>& live) {
  std::vector<AttentionMultipliers> steps(live.size());
  for (AttentionMultipliers& step : steps) step.layers.resize(all.layers.size());
  if (!all.weights.defined()) return steps;
  const auto of_weights = all.weights.split_with_sizes(live);
  for (size_t t = 0; t < steps.size(); ++t) steps[t].weights = of_weights[t];
  for (size_t l = 1; l < all.layers.size(); ++l) {
    const auto of_layer = all.layers[l].split_with_sizes(live);
    for (size_t t = 0; t < steps.size(); ++t) steps[t].layers[l] = of_layer[t];
  }
  return steps;
}

// Returns H, of weights (G H, .) that fit `gates` = G H; `like` has their dtype.
int64_t check_layers(const char* op, const at::Tensor& like,
                     const std::vector<RecurrentWeights>& layers, int64_t gates) {
  int64_t width = 0;
  for (size_t l = 0; l < layers.size(); ++l) {
    const RecurrentWeights& w = layers[l];
    // Layer 0's input products come in: of another layer they are of the one below.
    const at::Tensor &input = l == 0 ? w.hidden : w.input,
                     &input_bias = l == 0 ? w.hidden_bias : w.input_bias;
    check_floating(op, {like, w.hidden, w.hidden_bias, input, input_bias});
    if (l == 0 && w.hidden.dim() == 2) width = w.hidden.size(1);
    const std::vector<int64_t> weight = {gates, width}, bias = {gates};
    if (w.hidden.sizes() != weight || w.hidden_bias.sizes() != bias || input.sizes() != weight ||
        input_bias.sizes() != bias)
      refuse(op,
             "weights (" + std::to_string(gates) + ", " + std::to_string(width) + ") and biases (" +
                 std::to_string(gates) + ") in layer " + std::to_string(l),
             {w.hidden, w.hidden_bias, input, input_bias});
  }
  return width;
}

}  // namespace

namespace detail {

void check_recurrence(const char* op, const at::Tensor& input_gates, const AttentionMemory& memory,
                      const std::vector<CellState>& states, const AttentionRecurrence& recurrence,
                      int64_t rows, int64_t sentences) {
  check_floating(op, {input_gates, memory.values, memory.keys, recurrence.context});
  if (recurrence.context.dim() != 2) refuse(op, "a context weight (G H, M)", {recurrence.context});
  const int64_t gates = recurrence.context.size(0);
  const auto layers = recurrence.layers.size();
  const int64_t width = check_layers(op, input_gates, recurrence.layers, gates);
  bool fits =
      input_gates.dim() == 2 && input_gates.size(0) == rows && input_gates.size(1) == gates &&
      memory.values.dim() == 3 && memory.keys.dim() == 3 && memory.values.size(0) == sentences &&
      memory.keys.size(0) == sentences && memory.keys.size(1) == memory.values.size(1) &&
      memory.values.size(2) == recurrence.context.size(1) && layers > 0 && states.size() == layers;
  for (const CellState& state : states) {
    check_floating(op, {input_gates, state.hidden});
    fits = fits && state.hidden.dim() == 2 && state.hidden.size(0) == sentences &&
           state.hidden.size(1) == width;
  }
  if (!fits)
    refuse(op,
           "input gates (" + std::to_string(rows) + ", " + std::to_string(gates) +
               "), values and keys of " + std::to_string(sentences) +
               " sentences and a state (B, " + std::to_string(width) + ") for each of " +
               std::to_string(layers) + " layers",
           {input_gates, memory.values, memory.keys});
  const at::Tensor& hidden = memory.hidden;
  if (!hidden.defined()) return;
  if (hidden.scalar_type() != at::kBool || hidden.device() != memory.keys.device() ||
      hidden.sizes() != memory.keys.sizes().slice(0, 2))
    refuse(op, "a bool (B, S) of hidden cells on the keys' device", {hidden, memory.keys});
}

void check_dropout(const AttentionDropout& dropout, int64_t rows, size_t layers) {
  check_probability(dropout.state.probability);
  if (!dropout.state.active()) return;
  if (dropout.layer_sites.size() != layers || dropout.row_numbers == nullptr ||
      static_cast<int64_t>(dropout.row_numbers->size()) != rows)
    throw InvalidArgument("[attention_recurrence] expected dropout with " + std::to_string(layers) +
                          " sites and " + std::to_string(rows) + " row numbers");
}

}  // namespace detail

at::Tensor attention_recurrence(const at::Tensor& input_gates, const TimeMajor& layout,
                                const AttentionMemory& memory,
                                const std::vector<CellState>& initial,
                                const AttentionRecurrence& recurrence,
                                const AttentionDropout& dropout) {
  const int64_t rows = layout.starts.back();
  detail::check_recurrence("attention_recurrence", input_gates, memory, initial, recurrence, rows,
                           layout.size());
  const int64_t width = initial.front().hidden.size(1);
  detail::check_dropout(dropout, rows, initial.size());
  const auto multipliers = step_multipliers(
      attention_multipliers(dropout, memory.values, width, initial.size()), layout.live);
  if (layout.steps() == 0) return input_gates.new_zeros({0, width});
  const std::vector<at::Tensor> gates = input_gates.split_with_sizes(layout.live);
  std::vector<CellState> states = initial;
  std::vector<at::Tensor> tops;
  for (size_t t = 0; t < layout.live.size(); ++t) {
    const int64_t live = layout.live[t];
    for (CellState& state : states)
      state = {first_rows(state.hidden, live), first_rows(state.cell, live)};
    step(gates[t], first_rows(memory, live), states, recurrence, multipliers[t]);
    tops.push_back(states.back().hidden);
  }
  return at::cat(tops);  // (N, H)
}

at::Tensor attention_recurrence_step(const at::Tensor& input_gates, const AttentionMemory& memory,
                                     std::vector<CellState>& states,
                                     const AttentionRecurrence& recurrence) {
  const int64_t sentences = memory.values.size(0);
  detail::check_recurrence("attention_recurrence_step", input_gates, memory, states, recurrence,
                           sentences, sentences);
  return step(input_gates, memory, states, recurrence,
              {{}, std::vector<at::Tensor>(states.size())});
}

}  // namespace attend::ops
