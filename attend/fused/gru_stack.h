// A stack of GRU layers that reads tokens, with dropout between the layers: the encoder of both
// recurrent translators, and the decoder without attention.
#pragma once

#include <vector>

#include "attend/fused/gru.h"
#include "attend/fused/token_gates.h"

namespace attend::fused {

/// One layer's parameters: W_i (3H, I), W_h (3H, H) and their biases' offsets.
struct GruPlaces {
  WeightPlace input, hidden;
  int64_t input_bias = 0, hidden_bias = 0;
  uint32_t site = 0;  ///< of dropout on what enters the layer; none in layer 0
};

/// The rows that a stack reads, time-major.
struct TokenRows {
  TimeMajor layout;
  DistinctTokens tokens;
  std::vector<int64_t> numbers;  ///< dropout's row numbers

  /// `ids` are time-major; `first` as in data::Batch::source_rows.
  void number(const std::vector<int64_t>& first) { number_rows(layout, first, numbers); }
};

template <class T>
class GruStack {
 public:
  GruStack() = default;
  /// `embedding` (V, E); layer 0 reads the first E columns of its input weight from it. `tied`: the
  /// embedding's gradient is added to, since the output projection has set it.
  GruStack(const WeightPlace& embedding, const std::vector<GruPlaces>& layers, Panels<T>& panels,
           bool tied = false);

  int64_t width() const { return layers_.front().width(); }
  size_t layers() const { return layers_.size(); }
  int64_t vocabulary() const { return first_.vocabulary(); }

  struct Trace {
    const T* embedded;                ///< of the distinct tokens
    std::vector<GruTrace<T>> layers;  ///< rows of the last: what comes out
    std::vector<const T*> entered;    ///< [l] (N, H): what entered layer l >= 1, after dropout
    std::vector<const uint32_t*> keys;
  };

  /// As TokenGates::tabulate().
  void tabulate(const Pass<T>& pass) { first_.tabulate(pass); }

  /// states [l] (B, H), in the layout's order, begin as the initial ones and end as the last ones.
  /// `sentence_gates` (B, 3H) is added to the gates of each row of layer 0; null in a stack that
  /// begins at 0, as an encoder does.
  Trace forward(const Pass<T>& pass, const TokenRows& rows, const std::vector<T*>& states,
                const T* sentence_gates) const;

  /// One step of n sentences without dropout, a token each: states [l] (n, H) move on, and the last
  /// are what comes out. `sentence_gates` (n, 3H) as above.
  void step(const Pass<T>& pass, const int32_t* tokens, int64_t n, const std::vector<T*>& states,
            const T* sentence_gates) const;

  /// d_rows (N, H) of the top rows, or null; d_states of the last states become those of the
  /// initial ones. Sets the parameters' gradients and d_sentence_gates (B, 3H), null as forward.
  void backward(const Pass<T>& pass, const TokenRows& rows, const Trace& trace, const T* d_rows,
                const std::vector<T*>& d_states, T* d_sentence_gates) const;

 private:
  TokenGates<T> first_;
  std::vector<Linear<T>> inputs_;  // of layer l at l - 1
  std::vector<Gru<T>> layers_;
  std::vector<uint32_t> sites_;
};

extern template class GruStack<float>;
extern template class GruStack<double>;

}  // namespace attend::fused
