#include "attend/ops/recurrent_steps.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tanh.h>
#include <torch/csrc/autograd/custom_function.h>

#include "attend/ops/fused.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What the steps leave behind for the gradient; time-major. The last two are an LSTM's alone.
struct Trace {
  at::Tensor gates;          // (N, G H), after sigmoid and tanh
  at::Tensor previous;       // (N, H): the hidden state before the step
  at::Tensor previous_cell;  // (N, H)
  at::Tensor squashed;       // (N, H): tanh(c')
};

bool is_lstm(const Trace& trace) { return trace.squashed.defined(); }

Trace rows_of(const Trace& trace, int64_t first, int64_t n) {
  const auto part = [&](const at::Tensor& x) { return x.defined() ? x.narrow(0, first, n) : x; };
  return {part(trace.gates), part(trace.previous), part(trace.previous_cell), part(trace.squashed)};
}

// c' = f c + i g: gates (n, 4H) in the order i, f, g, o; cell (n, H) moves on.
template <class T>
void mix_cell(const T* gates, T* cell, int64_t n, int64_t width) {
  for (int64_t b = 0; b < n; ++b, gates += 4 * width, cell += width) {
    const T* __restrict input = gates;
    const T* __restrict forget = gates + width;
    const T* __restrict candidate = gates + 2 * width;
    T* __restrict c = cell;
    for (int64_t j = 0; j < width; ++j) c[j] = forget[j] * c[j] + input[j] * candidate[j];
  }
}

// h' = o tanh(c').
template <class T>
void let_out(const T* gates, const T* squashed, T* hidden, int64_t n, int64_t width) {
  for (int64_t b = 0; b < n; ++b, gates += 4 * width, squashed += width, hidden += width) {
    const T* __restrict out = gates + 3 * width;
    const T* __restrict s = squashed;
    T* __restrict h = hidden;
    for (int64_t j = 0; j < width; ++j) h[j] = out[j] * s[j];
  }
}

// From the gradients of h' and c' to that of the sums of the gates; d_cell becomes that of c.
template <class T>
void lstm_backward(const Trace& at, const T* d_hidden, T* d_cell, T* d_gates, int64_t width) {
  const T* gates = at.gates.const_data_ptr<T>();
  const T* previous = at.previous_cell.const_data_ptr<T>();
  const T* squashed = at.squashed.const_data_ptr<T>();
  for (int64_t b = 0; b < at.gates.size(0); ++b) {
    const T* __restrict a = gates + b * 4 * width;
    const T* __restrict c = previous + b * width;
    const T* __restrict s = squashed + b * width;
    const T* __restrict dh = d_hidden + b * width;
    T* __restrict dc = d_cell + b * width;
    T* __restrict d = d_gates + b * 4 * width;
    for (int64_t j = 0; j < width; ++j) {
      const T i = a[j], f = a[width + j], g = a[2 * width + j], o = a[3 * width + j];
      const T d_new = dc[j] + dh[j] * o * (1 - s[j] * s[j]);  // of c'
      d[j] = d_new * g * i * (1 - i);
      d[width + j] = d_new * c[j] * f * (1 - f);
      d[2 * width + j] = d_new * i * (1 - g * g);
      d[3 * width + j] = dh[j] * s[j] * o * (1 - o);
      dc[j] = d_new * f;
    }
  }
}

template <class T>
void rnn_backward(const Trace& at, const T* d_hidden, T* d_gates) {
  const T* h = at.gates.const_data_ptr<T>();  // of an RNN they are the new state
  for (int64_t i = 0; i < at.gates.numel(); ++i) d_gates[i] = d_hidden[i] * (1 - h[i] * h[i]);
}

// One step of n sequences. trace.gates holds W_i x + b_i + b_h; `state`, (n, H) each, moves on.
void step(const Trace& trace, const CellState& state, const at::Tensor& weight_t) {
  const int64_t n = trace.gates.size(0), width = state.hidden.size(1);
  at::Tensor gates = trace.gates, hidden = state.hidden;
  trace.previous.copy_(hidden);
  gates.addmm_(hidden, weight_t);
  if (!is_lstm(trace)) {
    hidden.copy_(gates.tanh_());
    return;
  }
  trace.previous_cell.copy_(state.cell);
  gates.narrow(1, 0, 2 * width).sigmoid_();
  gates.narrow(1, 2 * width, width).tanh_();
  gates.narrow(1, 3 * width, width).sigmoid_();
  at::Tensor squashed = trace.squashed;
  with_type(gates, [&]<class T>(T) {
    mix_cell(gates.const_data_ptr<T>(), state.cell.mutable_data_ptr<T>(), n, width);
    at::tanh_out(squashed, state.cell);
    let_out(gates.const_data_ptr<T>(), squashed.const_data_ptr<T>(), hidden.mutable_data_ptr<T>(),
            n, width);
  });
}

// The gradient of the states after a step becomes that of the states before it; fills d_gates.
void step_back(const Trace& trace, const CellState& d_state, const at::Tensor& weight,
               at::Tensor d_gates) {
  at::Tensor d_hidden = d_state.hidden;
  with_type(d_hidden, [&]<class T>(T) {
    if (is_lstm(trace))
      lstm_backward(trace, d_hidden.const_data_ptr<T>(), d_state.cell.mutable_data_ptr<T>(),
                    d_gates.mutable_data_ptr<T>(), d_hidden.size(1));
    else
      rnn_backward(trace, d_hidden.const_data_ptr<T>(), d_gates.mutable_data_ptr<T>());
  });
  at::mm_out(d_hidden, d_gates, weight);  // h reaches h' by the product alone
}

at::Tensor own(const at::Tensor& x) {
  return x.defined() ? x.clone(at::MemoryFormat::Contiguous) : x;
}

CellState first_rows(const CellState& state, int64_t n) {
  return {state.hidden.narrow(0, 0, n),
          state.cell.defined() ? state.cell.narrow(0, 0, n) : state.cell};
}

class RecurrentSteps : public torch::autograd::Function<RecurrentSteps> {
 public:
  // `inputs`: rows, h, the four weights and, for an LSTM, c. (Undefined ones are not taken.)
  static variable_list forward(AutogradContext* context, at::TensorList inputs,
                               const std::vector<int64_t>& live) {
    const at::Tensor &rows = inputs[0], &hidden = inputs[1], &input = inputs[2],
                     &recurrent = inputs[3];
    const at::Tensor cell = inputs.size() > 6 ? inputs[6] : at::Tensor();
    const CellState state{own(hidden), own(cell)};
    Trace trace;
    trace.gates = at::addmm(inputs[4] + inputs[5], rows, input.t());  // (N, G H)
    trace.previous = at::empty({rows.size(0), hidden.size(1)}, rows.options());
    if (cell.defined()) {
      trace.previous_cell = at::empty_like(trace.previous);
      trace.squashed = at::empty_like(trace.previous);
    }
    at::Tensor states = at::empty_like(trace.previous);
    const at::Tensor weight_t = recurrent.t();
    int64_t row = 0;
    for (const int64_t n : live) {
      const CellState alive = first_rows(state, n);
      step(rows_of(trace, row, n), alive, weight_t);
      states.narrow(0, row, n).copy_(alive.hidden);
      row += n;
    }
    context->save_for_backward(
        {rows, input, recurrent, trace.gates, trace.previous, trace.previous_cell, trace.squashed});
    context->saved_data["live"] = live;
    variable_list result = {states, state.hidden};
    if (cell.defined()) result.push_back(state.cell);
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("recurrent_sequence");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &input = saved[1], &recurrent = saved[2];
    const Trace trace{saved[3], saved[4], saved[5], saved[6]};
    const CellState d_state{own(gradients[1]), is_lstm(trace) ? own(gradients[2]) : at::Tensor()};
    const at::Tensor d_gates = at::empty_like(trace.gates);
    const std::vector<int64_t> live = context->saved_data["live"].toIntVector();
    int64_t row = rows.size(0);
    for (size_t t = live.size(); t-- > 0;) {
      row -= live[t];
      const CellState alive = first_rows(d_state, live[t]);
      alive.hidden.add_(gradients[0].narrow(0, row, live[t]));
      step_back(rows_of(trace, row, live[t]), alive, recurrent, d_gates.narrow(0, row, live[t]));
    }
    const at::Tensor d_bias = d_gates.sum(0);  // the biases meet in one sum
    variable_list result = {d_gates.mm(input),
                            d_state.hidden,
                            d_gates.t().mm(rows),
                            d_gates.t().mm(trace.previous),
                            d_bias,
                            d_bias};
    if (is_lstm(trace)) result.push_back(d_state.cell);
    result.emplace_back();  // of `live`
    return result;
  }
};

}  // namespace

SequenceOutput recurrent_steps(const at::Tensor& rows, const TimeMajor& layout,
                               const CellState& initial, const RecurrentWeights& weights) {
  variable_list inputs = {rows,           initial.hidden,     weights.input,
                          weights.hidden, weights.input_bias, weights.hidden_bias};
  if (initial.cell.defined()) inputs.push_back(initial.cell);
  const variable_list output = RecurrentSteps::apply(at::TensorList(inputs), layout.live);
  return {output[0], {output[1], output.size() > 2 ? output[2] : at::Tensor()}};
}

}  // namespace attend::ops::detail
