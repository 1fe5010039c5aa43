#include "attend/ops/gru_steps.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string>
#include <utility>

#include "attend/core/errors.h"

namespace attend::ops::detail {
namespace {

// Where a step's rows begin in the buffers.
template <class T>
struct ForwardRows {
  const T* input;     // (n, 3H)
  const T* products;  // (n, 3H)
  T* state;           // (n, H), and so the rest
  T* rows;
  T* previous;
  T* gates;  // (n, 2H)
  T* recurrent;
  T* candidate;
};

// Before sigmoid: the sums of r and z; what the candidate's sum needs; the state as it was.
template <class T>
void sum_gates(const ForwardRows<T>& at, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i) {
    const T* __restrict input = at.input + i * 3 * width;
    const T* __restrict products = at.products + i * 3 * width;
    T* __restrict gates = at.gates + i * 2 * width;
    for (int64_t j = 0; j < 2 * width; ++j) gates[j] = input[j] + products[j];
    std::copy_n(products + 2 * width, width, at.recurrent + i * width);
  }
  std::copy_n(at.state, n * width, at.previous);
}

// Between sigmoid and tanh.
template <class T>
void sum_candidate(const ForwardRows<T>& at, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i) {
    const T* __restrict input = at.input + i * 3 * width + 2 * width;
    const T* __restrict reset = at.gates + i * 2 * width;
    const T* __restrict recurrent = at.recurrent + i * width;
    T* __restrict candidate = at.candidate + i * width;
    for (int64_t j = 0; j < width; ++j) candidate[j] = input[j] + reset[j] * recurrent[j];
  }
}

// After tanh: h' = n + z (h - n).
template <class T>
void mix(const ForwardRows<T>& at, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i) {
    const T* __restrict update = at.gates + i * 2 * width + width;
    const T* __restrict candidate = at.candidate + i * width;
    T* __restrict state = at.state + i * width;
    for (int64_t j = 0; j < width; ++j)
      state[j] = candidate[j] + update[j] * (state[j] - candidate[j]);
  }
  std::copy_n(at.state, n * width, at.rows);
}

template <class T>
struct BackwardRows {
  const T* previous;  // (n, H)
  const T* gates;     // (n, 2H)
  const T* recurrent;
  const T* candidate;
  T* d_state;   // (n, H): of h', then of h as far as it passes by the product
  T* d_input;   // (n, 3H)
  T* d_hidden;  // (n, 3H)
};

template <class T>
void take_back(const BackwardRows<T>& at, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i) {
    const T* __restrict previous = at.previous + i * width;
    const T* __restrict reset = at.gates + i * 2 * width;
    const T* __restrict update = reset + width;
    const T* __restrict recurrent = at.recurrent + i * width;
    const T* __restrict candidate = at.candidate + i * width;
    T* __restrict d_state = at.d_state + i * width;
    T* __restrict d_input = at.d_input + i * 3 * width;
    T* __restrict d_hidden = at.d_hidden + i * 3 * width;
    for (int64_t j = 0; j < width; ++j) {
      const T r = reset[j], z = update[j], c = candidate[j], d = d_state[j];
      const T d_candidate = d * (1 - z) * (1 - c * c);  // of what tanh takes
      const T d_update = d * (previous[j] - c) * z * (1 - z);
      const T d_reset = d_candidate * recurrent[j] * r * (1 - r);
      d_input[j] = d_hidden[j] = d_reset;
      d_input[width + j] = d_hidden[width + j] = d_update;
      d_input[2 * width + j] = d_candidate;
      d_hidden[2 * width + j] = d_candidate * r;
      d_state[j] = d * z;
    }
  }
}

template <class T>
T* row(const at::Tensor& x, int64_t i) {
  return x.mutable_data_ptr<T>() + i * x.size(1);
}

}  // namespace

bool takes_steps(const at::Tensor& x) {
  return x.defined() && x.device().is_cpu() &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

void refuse_second_derivative(const char* op) {
  if (c10::GradMode::is_enabled())
    throw InvalidArgument("[" + std::string(op) +
                          "] is differentiable once; its composed twin has second derivatives");
}

GruForward::GruForward(const at::Tensor& hidden_weight, const at::Tensor& hidden_bias,
                       const at::Tensor& initial, const std::vector<int64_t>& live)
    : weight_t_(hidden_weight.t()),
      bias_(hidden_bias),
      state_(initial.clone(at::MemoryFormat::Contiguous)) {
  int64_t rows = 0;
  for (const int64_t n : live) rows += n;
  const int64_t width = state_.size(1);
  const auto buffer = [&](int64_t count, int64_t columns) {
    return at::empty({count, columns}, state_.options());
  };
  rows_ = buffer(rows, width);
  products_ = buffer(state_.size(0), 3 * width);
  trace_ = {buffer(rows, width), buffer(rows, 2 * width), buffer(rows, width), buffer(rows, width)};
  gates_ = trace_.gates.split_with_sizes(live);
  candidate_ = trace_.candidate.split_with_sizes(live);
}

void GruForward::step(const at::Tensor& input_gates) {
  const int64_t n = input_gates.size(0), width = state_.size(1);
  at::Tensor products = products_.narrow(0, 0, n);
  at::addmm_out(products, bias_, state_.narrow(0, 0, n), weight_t_);
  with_type(state_, [&]<class T>(T) {
    const ForwardRows<T> at{input_gates.const_data_ptr<T>(), products_.const_data_ptr<T>(),
                            state_.mutable_data_ptr<T>(),    row<T>(rows_, row_),
                            row<T>(trace_.previous, row_),   row<T>(trace_.gates, row_),
                            row<T>(trace_.recurrent, row_),  row<T>(trace_.candidate, row_)};
    sum_gates(at, n, width);
    gates_[next_].sigmoid_();
    sum_candidate(at, n, width);
    candidate_[next_].tanh_();
    mix(at, n, width);
  });
  ++next_;
  row_ += n;
}

GruBackward::GruBackward(const at::Tensor& hidden_weight, GruTrace trace, const at::Tensor& d_state,
                         const std::vector<int64_t>& live)
    : weight_(hidden_weight), trace_(std::move(trace)), d_state_(d_state), left_(live.size()) {
  row_ = trace_.previous.size(0);
  d_input_ = at::empty({row_, weight_.size(0)}, d_state.options());
  d_hidden_ = at::empty_like(d_input_);
  d_input_slices_ = d_input_.split_with_sizes(live);
  d_hidden_slices_ = d_hidden_.split_with_sizes(live);
}

const at::Tensor& GruBackward::step() {
  const at::Tensor& d_input = d_input_slices_[--left_];
  const at::Tensor& d_hidden = d_hidden_slices_[left_];
  const int64_t n = d_input.size(0), width = d_state_.size(1);
  row_ -= n;
  with_type(d_state_, [&]<class T>(T) {
    take_back(BackwardRows<T>{row<T>(trace_.previous, row_), row<T>(trace_.gates, row_),
                              row<T>(trace_.recurrent, row_), row<T>(trace_.candidate, row_),
                              d_state_.mutable_data_ptr<T>(), d_input.mutable_data_ptr<T>(),
                              d_hidden.mutable_data_ptr<T>()},
              n, width);
  });
  d_state_.narrow(0, 0, n).addmm_(d_hidden, weight_);
  return d_input;
}

at::Tensor GruBackward::d_hidden_weight() const { return d_hidden_.t().mm(trace_.previous); }
at::Tensor GruBackward::d_hidden_bias() const { return d_hidden_.sum(0); }

}  // namespace attend::ops::detail
