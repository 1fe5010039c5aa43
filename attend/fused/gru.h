// One GRU layer over a batch (Cho et al. 2014; the cell of ops/gru_sequence.h), all steps, forward
// and backward: a step is one matrix product and one pass over memory, and each gradient of a
// weight is one product over all rows.
#pragma once

#include "attend/fused/linear.h"
#include "attend/fused/time_major.h"

namespace attend::fused {

/// What a layer leaves behind for its gradient; all time-major. A null pointer is not kept: of a
/// pass that does not learn, all but the rows.
template <class T>
struct GruTrace {
  T* previous = nullptr;   ///< (N, H): the state before the step
  T* gates = nullptr;      ///< (N, 2H): r and z
  T* recurrent = nullptr;  ///< (N, H): W_hn h + b_hn
  T* candidate = nullptr;  ///< (N, H): n
  T* rows = nullptr;       ///< (N, H): the state after the step
};

template <class T>
class Gru {
 public:
  Gru() = default;
  /// `hidden` (3H, H), blocks r, z, n; `bias` (3H), an offset.
  Gru(const WeightPlace& hidden, int64_t bias, Panels<T>& panels)
      : hidden_(hidden, Linear<T>::kNone, panels), weight_(hidden), bias_(bias) {}

  int64_t width() const { return weight_.inputs; }

  GruTrace<T> trace(const Pass<T>& pass, int64_t rows) const;

  /// Step t over its n = live[t] sequences, whose rows begin at `row`: `gates` (n, 3H) = W_i x +
  /// b_i and `state` (n, H) -> the new state, in `state` and in the trace's rows. `products` (n,
  /// 3H): scratch. `from_zero`: the state is known to be 0.
  void step(const Pass<T>& pass, int64_t row, int64_t n, const T* gates, T* state, T* products,
            const GruTrace<T>& trace, bool from_zero = false) const;

  /// All steps: gates (N, 3H); `state` (B, H) begins as the initial one and ends as each sequence's
  /// last. `from_zero`: the initial one is known to be 0. Fills `trace`.
  void forward(const Pass<T>& pass, const TimeMajor& layout, const T* gates, T* state,
               bool from_zero, const GruTrace<T>& trace) const;

  /// The gradients of all steps' gates.
  struct Gradient {
    T* of_input;   ///< (N, 3H): of W_i x + b_i
    T* of_hidden;  ///< (N, 3H): of W_h h + b_h
  };
  Gradient gradient(const Pass<T>& pass, int64_t rows) const {
    return {pass.take(rows, 3 * width()), pass.take(rows, 3 * width())};
  }

  /// Takes one step back: d_state (n, H) of the states after it becomes that of those before, which
  /// nobody asks for with `from_zero`.
  void step_back(const Pass<T>& pass, int64_t row, int64_t n, T* d_state, const GruTrace<T>& trace,
                 const Gradient& gradient, bool from_zero = false) const;

  /// Sets the gradients of W_h and b_h, once all steps are taken back. The states before the first
  /// `zeros` rows were 0.
  void backward_weight(const Pass<T>& pass, int64_t rows, const GruTrace<T>& trace,
                       const Gradient& gradient, int64_t zeros = 0) const;

  /// All of it: d_rows (N, H), or null, and d_state (B, H) of the last states, which becomes that
  /// of the initial ones unless those were 0 by `from_zero`. Returns the gradient of the gates,
  /// (N, 3H).
  const T* backward(const Pass<T>& pass, const TimeMajor& layout, const GruTrace<T>& trace,
                    const T* d_rows, T* d_state, bool from_zero) const;

 private:
  Linear<T> hidden_;
  WeightPlace weight_;
  int64_t bias_ = 0;
};

extern template class Gru<float>;
extern template class Gru<double>;

}  // namespace attend::fused
