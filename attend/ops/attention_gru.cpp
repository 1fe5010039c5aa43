#include "attend/ops/attention_gru.h"

#include <ATen/ops/linear.h>

#include "attend/ops/additive_scores.h"
#include "attend/ops/attention_gru_steps.h"
#include "attend/ops/check.h"
#include "attend/ops/fused.h"
#include "attend/ops/gru_sequence.h"
#include "attend/ops/masked_softmax.h"

namespace attend::ops {
namespace {

constexpr char kOp[] = "attention_gru";

// W_q h against the keys: the top state (n, H) -> weights (n, S).
at::Tensor look(const at::Tensor& top, const AttentionMemory& memory,
                const AttentionGruWeights& weights) {
  const at::Tensor query = at::linear(top, weights.query).unsqueeze(1);  // (n, 1, A)
  return masked_softmax(additive_scores(query, memory.keys, weights.score).squeeze(1),
                        memory.hidden);
}

// `weights` has to outlive it.
AttentionRecurrence recurrence_of(const AttentionGruWeights& weights) {
  return {[&weights](const at::Tensor& top, const AttentionMemory& memory) {
            return look(top, memory, weights);
          },
          [](const at::Tensor& input_gates, const at::Tensor& hidden_gates, const CellState& state)
              -> CellState { return {gru_cell(input_gates, hidden_gates, state.hidden), {}}; },
          weights.context, weights.layers};
}

std::vector<CellState> cell_states(const std::vector<at::Tensor>& hidden) {
  std::vector<CellState> states;
  for (const at::Tensor& h : hidden) states.push_back({h, {}});
  return states;
}

// What the mechanism needs, beside what check_recurrence() knows.
void check(const char* op, const at::Tensor& input_gates, const AttentionMemory& memory,
           const AttentionGruWeights& weights) {
  check_floating(op, {input_gates, weights.query, weights.score});
  if (weights.query.dim() != 2 || input_gates.size(1) != 3 * weights.query.size(1) ||
      weights.layers.front().hidden.size(1) != weights.query.size(1) ||
      memory.keys.size(2) != weights.query.size(0) || weights.score.dim() != 1 ||
      weights.score.size(0) != memory.keys.size(2))
    refuse(op,
           "input gates (N, 3H), keys (B, S, A), a query weight (A, H), a score (A) and layers of "
           "(3H, H)",
           {input_gates, memory.keys, weights.query, weights.score, weights.layers.front().hidden});
}

}  // namespace

at::Tensor attention_gru(const at::Tensor& input_gates, const TimeMajor& layout,
                         const AttentionMemory& memory, const std::vector<at::Tensor>& initial,
                         const AttentionGruWeights& weights, const AttentionDropout& dropout) {
  if (!detail::takes_steps(input_gates) || layout.steps() == 0)
    return attention_gru_composed(input_gates, layout, memory, initial, weights, dropout);
  const int64_t rows = layout.starts.back();
  detail::check_recurrence(kOp, input_gates, memory, cell_states(initial), recurrence_of(weights),
                           rows, layout.size());
  check(kOp, input_gates, memory, weights);
  detail::check_dropout(dropout, rows, initial.size());
  return detail::attention_gru_steps(input_gates, layout, memory, initial, weights, dropout);
}

at::Tensor attention_gru_composed(const at::Tensor& input_gates, const TimeMajor& layout,
                                  const AttentionMemory& memory,
                                  const std::vector<at::Tensor>& initial,
                                  const AttentionGruWeights& weights,
                                  const AttentionDropout& dropout) {
  const AttentionRecurrence recurrence = recurrence_of(weights);
  detail::check_recurrence(kOp, input_gates, memory, cell_states(initial), recurrence,
                           layout.starts.back(), layout.size());
  check(kOp, input_gates, memory, weights);
  return attention_recurrence(input_gates, layout, memory, cell_states(initial), recurrence,
                              dropout);
}

at::Tensor attention_gru_step(const at::Tensor& input_gates, const AttentionMemory& memory,
                              std::vector<at::Tensor>& states, const AttentionGruWeights& weights) {
  std::vector<CellState> moving = cell_states(states);
  const AttentionRecurrence recurrence = recurrence_of(weights);
  const int64_t sentences = memory.values.size(0);
  detail::check_recurrence(kOp, input_gates, memory, moving, recurrence, sentences, sentences);
  check(kOp, input_gates, memory, weights);
  at::Tensor seen = attention_recurrence_step(input_gates, memory, moving, recurrence);
  for (size_t l = 0; l < states.size(); ++l) states[l] = moving[l].hidden;
  return seen;
}

}  // namespace attend::ops
