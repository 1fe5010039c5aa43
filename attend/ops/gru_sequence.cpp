#include "attend/ops/gru_sequence.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/gru.h>
#include <torch/csrc/autograd/custom_function.h>

#include "attend/ops/gru_steps.h"

namespace attend::ops {
namespace {

constexpr char kOp[] = "gru_sequence";

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Input products of all rows at once, then GruForward step by step.
class GruSequence : public torch::autograd::Function<GruSequence> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& rows,
                               const at::Tensor& initial, const at::Tensor& input,
                               const at::Tensor& hidden, const at::Tensor& input_bias,
                               const at::Tensor& hidden_bias, const std::vector<int64_t>& live) {
    const at::Tensor gates = at::addmm(input_bias, rows, input.t());  // (N, 3H)
    return detail::with_type(rows, [&]<class T>(T) -> variable_list {
      detail::GruForward<T> gru(hidden, hidden_bias, initial, live);
      const T* step_gates = gates.const_data_ptr<T>();
      for (const int64_t n : live) {
        gru.step(step_gates);
        step_gates += n * gates.size(1);
      }
      const detail::GruTrace& trace = gru.trace();
      context->save_for_backward(
          {rows, input, hidden, trace.previous, trace.gates, trace.recurrent, trace.candidate});
      context->saved_data["live"] = live;
      return {gru.rows(), gru.states()};
    });
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    detail::refuse_second_derivative(kOp);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &input = saved[1];
    const std::vector<int64_t> live = context->saved_data["live"].toIntVector();
    return detail::with_type(rows, [&]<class T>(T) -> variable_list {
      const at::Tensor d_rows = gradients[0].contiguous();
      detail::GruBackward<T> gru(saved[2], {saved[3], saved[4], saved[5], saved[6]},
                                 gradients[1].clone(at::MemoryFormat::Contiguous), live);
      const T* d_row = d_rows.const_data_ptr<T>() + d_rows.numel();
      for (size_t t = live.size(); t-- > 0;) {
        const int64_t count = live[t] * d_rows.size(1);
        d_row -= count;
        detail::add_to(gru.d_state(), d_row, count);
        gru.step();
      }
      const at::Tensor& d_gates = gru.d_input_gates();  // (N, 3H)
      return {d_gates.mm(input), gru.d_states(),      d_gates.t().mm(rows), gru.d_hidden_weight(),
              d_gates.sum(0),    gru.d_hidden_bias(), at::Tensor()};
    });
  }
};

}  // namespace

GruOutput gru_sequence(const at::Tensor& rows, const TimeMajor& layout, const at::Tensor& initial,
                       const RecurrentWeights& weights) {
  detail::check_sequence(kOp, 3, rows, layout, initial, weights);
  if (layout.steps() == 0 || !detail::takes_steps(rows))
    return gru_sequence_composed(rows, layout, initial, weights);
  const at::Tensor start = detail::initial_or_zeros(initial, rows, layout, weights);
  const variable_list output =
      GruSequence::apply(rows, start, weights.input, weights.hidden, weights.input_bias,
                         weights.hidden_bias, layout.live);
  return {output[0], output[1]};
}

GruOutput gru_sequence_composed(const at::Tensor& rows, const TimeMajor& layout,
                                const at::Tensor& initial, const RecurrentWeights& weights) {
  detail::check_sequence(kOp, 3, rows, layout, initial, weights);
  const at::Tensor start = detail::initial_or_zeros(initial, rows, layout, weights);
  if (layout.steps() == 0) return {rows.new_zeros({0, start.size(1)}), start};
  auto [states, last] =
      at::gru(rows, layout.live_tensor, start.narrow(0, 0, layout.live.front()).unsqueeze(0),
              {weights.input, weights.hidden, weights.input_bias, weights.hidden_bias},
              /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false,
              /*bidirectional=*/false);
  return {states, detail::join_empty(last.squeeze(0), start)};
}

at::Tensor gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                    const at::Tensor& hidden) {
  const int64_t width = hidden.size(1);
  const at::Tensor gates =
      (input_gates.narrow(1, 0, 2 * width) + hidden_gates.narrow(1, 0, 2 * width)).sigmoid();
  const at::Tensor reset = gates.narrow(1, 0, width);
  const at::Tensor update = gates.narrow(1, width, width);
  const at::Tensor candidate =
      (input_gates.narrow(1, 2 * width, width) + reset * hidden_gates.narrow(1, 2 * width, width))
          .tanh();
  return candidate + update * (hidden - candidate);
}

}  // namespace attend::ops
