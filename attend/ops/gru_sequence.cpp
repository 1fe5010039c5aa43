#include "attend/ops/gru_sequence.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gru.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "attend/fused/gru.h"
#include "attend/ops/fused.h"
#include "attend/ops/fused_call.h"

namespace attend::ops {
namespace {

constexpr char kOp[] = "gru_sequence";

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What the gradient needs.
template <class T>
struct GruCall : detail::FusedCall<T> {
  GruCall(const RecurrentWeights& w, const fused::TimeMajor& layout)
      : layout(layout),
        input{this->weight(w.input), this->vector(w.input_bias), this->panels},
        gru{this->weight(w.hidden), this->vector(w.hidden_bias), this->panels} {
    this->begin({});
  }
  fused::TimeMajor layout;
  fused::Linear<T> input;
  fused::Gru<T> gru;
  fused::GruTrace<T> trace{};
};

// Input products of all rows at once, then step by step.
class GruSequence : public torch::autograd::Function<GruSequence> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& inputs,
                               const at::Tensor& initial, const at::Tensor& input,
                               const at::Tensor& input_bias, const at::Tensor& hidden,
                               const at::Tensor& hidden_bias, const TimeMajor& layout) {
    const at::Tensor x = inputs.contiguous();
    at::Tensor states = initial.clone(at::MemoryFormat::Contiguous);
    const at::Tensor rows = at::empty({x.size(0), states.size(1)}, x.options());
    detail::with_type(x, [&]<class T>(T) {
      auto call = c10::make_intrusive<GruCall<T>>(
          RecurrentWeights{input, hidden, input_bias, hidden_bias}, layout);
      const fused::Pass<T> pass = call->pass();
      const fused::Rows<T> gates(pass.take(x.size(0), input.size(0)), x.size(0), input.size(0));
      call->input.forward(pass, detail::rows_of<T>(x), gates);
      call->trace = call->gru.trace(pass, x.size(0));
      call->trace.rows = rows.mutable_data_ptr<T>();
      call->gru.forward(pass, layout, gates.data, states.mutable_data_ptr<T>(), false, call->trace);
      call->trace.rows = nullptr;  // the output's, which may be gone by the time of backward
      context->saved_data["call"] = c10::IValue::make_capsule(std::move(call));
    });
    context->save_for_backward({x});
    return {rows, states};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    detail::refuse_second_derivative(kOp);
    const at::Tensor x = context->get_saved_variables()[0];
    const at::Tensor d_rows = gradients[0].contiguous();
    const at::Tensor d_states = gradients[1].clone(at::MemoryFormat::Contiguous);
    const at::Tensor d_x = at::empty_like(x);
    return detail::with_type(x, [&]<class T>(T) -> variable_list {
      auto call =
          c10::static_intrusive_pointer_cast<GruCall<T>>(context->saved_data["call"].toCapsule());
      const at::Tensor d_weights = call->empty_gradient();
      fused::Workspace work;
      const fused::Pass<T> pass = call->pass(d_weights, work);
      const fused::Rows<const T> d_gates(
          call->gru.backward(pass, call->layout, call->trace, d_rows.const_data_ptr<T>(),
                             d_states.mutable_data_ptr<T>(), false),
          x.size(0), call->input.outputs());
      call->input.backward_weight(pass, d_gates, detail::rows_of<T>(x));
      call->input.backward_input(pass, d_gates, detail::rows_to<T>(d_x));
      const variable_list of = call->parts(d_weights);
      return {d_x, d_states, of[0], of[1], of[2], of[3], at::Tensor()};
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
  const variable_list output = GruSequence::apply(rows, start, weights.input, weights.input_bias,
                                                  weights.hidden, weights.hidden_bias, layout);
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
