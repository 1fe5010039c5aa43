#include "attend/ops/recurrent.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <string>

#include "attend/ops/check.h"

namespace attend::ops::detail {

void check_sequence(const char* op, int64_t blocks, const at::Tensor& rows, const TimeMajor& layout,
                    const at::Tensor& initial, const RecurrentWeights& weights) {
  check_floating(op, {rows, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias,
                      initial.defined() ? initial : rows});
  const int64_t hidden = weights.hidden.dim() == 2 ? weights.hidden.size(1) : 0;
  const bool fits = rows.dim() == 2 && rows.size(0) == layout.starts.back() &&
                    weights.input.dim() == 2 && weights.input.size(0) == blocks * hidden &&
                    weights.input.size(1) == rows.size(1) && weights.hidden.dim() == 2 &&
                    weights.hidden.size(0) == blocks * hidden &&
                    weights.input_bias.numel() == blocks * hidden &&
                    weights.hidden_bias.numel() == blocks * hidden;
  const std::string tall = blocks == 1 ? "(H" : "(" + std::to_string(blocks) + "H";
  if (!fits)
    refuse(op,
           "rows (" + std::to_string(layout.starts.back()) + ", I), weights " + tall + ", I) and " +
               tall + ", H), biases " + tall + ") and " + tall + ")",
           {rows, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias});
  if (initial.defined() &&
      (initial.dim() != 2 || initial.size(0) != layout.size() || initial.size(1) != hidden))
    refuse(
        op,
        "an initial state (" + std::to_string(layout.size()) + ", " + std::to_string(hidden) + ")",
        {initial});
}

at::Tensor initial_or_zeros(const at::Tensor& initial, const at::Tensor& rows,
                            const TimeMajor& layout, const RecurrentWeights& weights) {
  return initial.defined() ? initial
                           : at::zeros({layout.size(), weights.hidden.size(1)},
                                       rows.options().requires_grad(false));
}

at::Tensor join_empty(const at::Tensor& last, const at::Tensor& initial) {
  const int64_t live = last.size(0), all = initial.size(0);
  return live == all ? last : at::cat({last, initial.narrow(0, live, all - live)});
}

}  // namespace attend::ops::detail
