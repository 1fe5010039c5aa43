// One GRU layer, step by step, with its gradient written out: a step is a matrix product and one
// pass over memory, where autograd would keep some twenty nodes. For float or double on the CPU;
// private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/ops/fused.h"
#include "attend/ops/gru_sequence.h"

namespace attend::ops::detail {

/// What a step leaves behind for its gradient; time-major like everything here.
struct GruTrace {
  at::Tensor previous;   ///< (N, H): the state before the step
  at::Tensor gates;      ///< (N, 2H): r and z
  at::Tensor recurrent;  ///< (N, H): W_hn h + b_hn
  at::Tensor candidate;  ///< (N, H): n
};

/// T is float or double, that of all tensors.
template <class T>
class GruForward {
 public:
  /// `live` as in TimeMajor; `initial` (B, H).
  GruForward(const at::Tensor& hidden_weight, const at::Tensor& hidden_bias,
             const at::Tensor& initial, const std::vector<int64_t>& live);

  /// The next step: input_gates (n, 3H) = W_i x + b_i of the n live sequences. Their new states are
  /// in state(), and in the step's rows of rows().
  void step(const T* input_gates);

  const T* state() const { return state_.const_data_ptr<T>(); }
  const at::Tensor& states() const { return state_; }  ///< (B, H), each sequence's last state
  const at::Tensor& rows() const { return rows_; }     ///< (N, H)
  const GruTrace& trace() const { return trace_; }

 private:
  const std::vector<int64_t>& live_;
  at::Tensor weight_t_;  // (H, 3H)
  at::Tensor bias_;
  at::Tensor state_;
  at::Tensor rows_;
  at::Tensor products_;  // (B, 3H), of one step
  GruTrace trace_;
  size_t next_ = 0;
  int64_t row_ = 0;
};

template <class T>
class GruBackward {
 public:
  /// `d_state` (B, H): the gradient of each sequence's last state; written to.
  GruBackward(const at::Tensor& hidden_weight, GruTrace trace, const at::Tensor& d_state,
              const std::vector<int64_t>& live);

  /// The last step not yet taken back. Before: d_state() holds the gradient of the states after it
  /// (add to its first n rows what comes from elsewhere); afterwards, of the states before it.
  /// Returns the gradient of the step's input_gates, (n, 3H).
  const T* step();

  T* d_state() { return d_state_.mutable_data_ptr<T>(); }
  const at::Tensor& d_states() const { return d_state_; }       ///< (B, H)
  const at::Tensor& d_input_gates() const { return d_input_; }  ///< (N, 3H), of all steps
  at::Tensor d_hidden_weight() const;                           ///< once all steps are taken back
  at::Tensor d_hidden_bias() const;

 private:
  const std::vector<int64_t>& live_;
  at::Tensor weight_;
  GruTrace trace_;
  at::Tensor d_state_;
  at::Tensor d_input_;
  at::Tensor d_hidden_;  // (N, 3H): of W_h h + b_h
  size_t left_;
  int64_t row_;
};

/// The rows of a contiguous (N, C) tensor from row i; null for an undefined one.
template <class T>
T* row(const at::Tensor& x, int64_t i) {
  return x.defined() ? x.mutable_data_ptr<T>() + i * x.size(1) : nullptr;
}

/// y += x over n numbers.
template <class T>
void add_to(T* __restrict y, const T* __restrict x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}

}  // namespace attend::ops::detail
