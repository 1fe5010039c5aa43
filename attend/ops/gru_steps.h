// One GRU layer, step by step, with its gradient written out: a step is a matrix product and a few
// passes over memory, where autograd would keep some twenty nodes. For contiguous float or double
// tensors on the CPU; private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/ops/gru_sequence.h"

namespace attend::ops::detail {

/// Whether the classes below take tensors like this one.
bool takes_steps(const at::Tensor& x);

/// For a gradient written out, which has none itself: throws InvalidArgument when one is asked for.
void refuse_second_derivative(const char* op);

/// body(float{}) or body(double{}), as x has it.
template <class Body>
void with_type(const at::Tensor& x, const Body& body) {
  if (x.scalar_type() == at::kFloat)
    body(float{});
  else
    body(double{});
}

/// What a step leaves behind for its gradient; time-major like everything here.
struct GruTrace {
  at::Tensor previous;   ///< (N, H): the state before the step
  at::Tensor gates;      ///< (N, 2H): r and z
  at::Tensor recurrent;  ///< (N, H): W_hn h + b_hn
  at::Tensor candidate;  ///< (N, H): n
};

class GruForward {
 public:
  /// `live` as in TimeMajor; `initial` (B, H).
  GruForward(const at::Tensor& hidden_weight, const at::Tensor& hidden_bias,
             const at::Tensor& initial, const std::vector<int64_t>& live);

  /// The next step: input_gates (n, 3H) = W_i x + b_i of the n live sequences. Their new states are
  /// in state(), and in the step's rows of rows().
  void step(const at::Tensor& input_gates);

  const at::Tensor& state() const { return state_; }  ///< (B, H), each sequence's last state
  const at::Tensor& rows() const { return rows_; }    ///< (N, H)
  const GruTrace& trace() const { return trace_; }

 private:
  at::Tensor weight_t_;  // (H, 3H)
  at::Tensor bias_;
  at::Tensor state_;
  at::Tensor rows_;
  at::Tensor products_;  // (B, 3H), of one step
  GruTrace trace_;
  std::vector<at::Tensor> gates_;      // slices of the trace's, one a step
  std::vector<at::Tensor> candidate_;  // likewise
  size_t next_ = 0;
  int64_t row_ = 0;
};

class GruBackward {
 public:
  /// `d_state` (B, H): the gradient of each sequence's last state; written to.
  GruBackward(const at::Tensor& hidden_weight, GruTrace trace, const at::Tensor& d_state,
              const std::vector<int64_t>& live);

  /// The last step not yet taken back. Before: d_state() holds the gradient of the states after it
  /// (add to its first n rows what comes from elsewhere); afterwards, of the states before it.
  /// Returns the gradient of the step's input_gates, (n, 3H).
  const at::Tensor& step();

  const at::Tensor& d_state() const { return d_state_; }
  const at::Tensor& d_input_gates() const { return d_input_; }  ///< (N, 3H), of all steps
  at::Tensor d_hidden_weight() const;                           ///< once all steps are taken back
  at::Tensor d_hidden_bias() const;

 private:
  at::Tensor weight_;
  GruTrace trace_;
  at::Tensor d_state_;
  at::Tensor d_input_;
  at::Tensor d_hidden_;  // (N, 3H): of W_h h + b_h
  std::vector<at::Tensor> d_input_slices_;
  std::vector<at::Tensor> d_hidden_slices_;
  size_t left_;
  int64_t row_;
};

}  // namespace attend::ops::detail
