// Additive attention of one query a sentence over a memory, with its gradient written out, as a
// recurrent decoder needs it at every step. For contiguous float or double tensors on the CPU;
// private to ops.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace attend::ops::detail {

/// What a step keeps for its gradient; the caller's buffers.
struct LookTrace {
  at::Tensor query;       ///< (n, A): W_q h
  at::Tensor multiplier;  ///< (n, S): dropout's, or undefined
  at::Tensor weights;     ///< (n, S)
  at::Tensor look;        ///< (n, S): weights * multiplier
};

class AdditiveLook {
 public:
  /// values (B, S, M), keys (B, S, A), both finite everywhere; hidden (B, S) bool, true where a
  /// cell may not be seen, or undefined; score (A).
  AdditiveLook(const at::Tensor& values, const at::Tensor& keys, const at::Tensor& hidden,
               const at::Tensor& score);

  /// For the first n sentences: fills weights and look, and the context (n, M). A row that sees
  /// nothing gets zeros.
  void forward(const LookTrace& step, const at::Tensor& context);

  /// Gradients that add up over the steps; zero before the first.
  struct Sums {
    at::Tensor values;  ///< (B, S, M)
    at::Tensor keys;    ///< (B, S, A)
    at::Tensor score;   ///< (A)
  };
  /// From the gradient of the context (n, M): fills d_query (n, A) and adds to the sums.
  void backward(const LookTrace& step, const at::Tensor& d_context, const at::Tensor& d_query,
                const Sums& sums);

 private:
  at::Tensor features(const at::Tensor& query);

  at::Tensor values_;
  at::Tensor keys_;
  at::Tensor hidden_;
  at::Tensor score_;
  at::Tensor features_;  // (B, S, A), of one step
};

}  // namespace attend::ops::detail
