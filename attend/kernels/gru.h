// The element-wise part of a GRU step, forward and backward (the recurrence is in
// ops/gru_sequence.h). Rows of n sequences lie one after the other.
#pragma once

#include <cstdint>

namespace attend::kernels {

template <class T>
struct GruForwardRows {
  const T* input_gates;   ///< (n, 3H): W_i x + b_i
  const T* hidden_gates;  ///< (n, 3H): W_h h, without the bias
  const T* hidden_bias;   ///< (3H)
  T* state;               ///< (n, H): h, then h'
  T* rows;                ///< (n, H): h', or null
  T* previous;            ///< (n, H): h, or null: this and what follows is not kept
  T* gates;               ///< (n, 2H): r and z
  T* recurrent;           ///< (n, H): W_hn h + b_hn
  T* candidate;           ///< (n, H): n
  int64_t n;
  int64_t width;  ///< H
};
void gru_forward(const GruForwardRows<float>& p);
void gru_forward(const GruForwardRows<double>& p);

template <class T>
struct GruBackwardRows {
  const T* previous;  ///< (n, H), and so on as above
  const T* gates;
  const T* recurrent;
  const T* candidate;
  T* d_state;         ///< (n, H): of h', then of h as far as it passes by the product
  T* d_input_gates;   ///< (n, 3H)
  T* d_hidden_gates;  ///< (n, 3H)
  int64_t n;
  int64_t width;
};
void gru_backward(const GruBackwardRows<float>& p);
void gru_backward(const GruBackwardRows<double>& p);

}  // namespace attend::kernels
