// The decoder of Bahdanau, Cho, Bengio 2015: a stack of GRU layers whose input at each step is a
// context, attended to by the top state of the step before, joined with the token.
#pragma once

#include <vector>

#include "attend/fused/gru_stack.h"
#include "attend/kernels/additive_look.h"

namespace attend::fused {

struct AttentionGruPlaces {
  WeightPlace query;              ///< (A, H)
  int64_t score = 0;              ///< (A): v
  uint32_t weight_site = 0;       ///< of dropout on the weights
  WeightPlace embedding;          ///< (V, E)
  std::vector<GruPlaces> layers;  ///< layer 0 reads [context, embedding]
};

/// What the decoder looks at, packed: sentence b's rows are begins[b] ... + lengths[b] - 1.
template <class T>
struct Memory {
  const T* keys;           ///< (N, A)
  const T* values;         ///< (N, M)
  const int64_t* begins;   ///< (B), in the order of the decoder's layout
  const int64_t* lengths;  ///< (B)
  int64_t longest;         ///< S
};

template <class T>
class AttentionGru {
 public:
  AttentionGru() = default;
  /// `memory` is M, the width of the values; `tied` as for GruStack.
  AttentionGru(const AttentionGruPlaces& places, int64_t memory, Panels<T>& panels, bool tied);

  int64_t width() const { return layers_.front().width(); }
  size_t layers() const { return layers_.size(); }
  int64_t vocabulary() const { return first_.vocabulary(); }

  struct Trace {
    const T* embedded;
    T *queries, *weights, *look, *multiplier;  ///< (N, A), (N, S), (N, S), (N, S) or null
    T* contexts;                               ///< (N, M)
    std::vector<GruTrace<T>> layers;
    std::vector<T*> entered;  ///< as in GruStack
    std::vector<const uint32_t*> keys;
  };

  /// states as in GruStack::forward; the top rows are in the last layer's trace.
  Trace forward(const Pass<T>& pass, const TokenRows& rows, const Memory<T>& memory,
                const std::vector<T*>& states) const;

  /// d_rows (N, H) of the top rows; d_states as in GruStack::backward; d_keys and d_values are
  /// added to. Sets the parameters' gradients.
  void backward(const Pass<T>& pass, const TokenRows& rows, const Memory<T>& memory,
                const Trace& trace, const T* d_rows, const std::vector<T*>& d_states, T* d_keys,
                T* d_values) const;

 private:
  kernels::AdditiveLookRows<T> look_rows(const Pass<T>& pass, const Memory<T>& memory,
                                         const Trace& trace, int64_t row, int64_t n) const;
  Trace begin(const Pass<T>& pass, const TokenRows& rows, const Memory<T>& memory) const;

  Linear<T> query_, context_;
  int64_t score_ = 0, memory_ = 0;
  uint32_t weight_site_ = 0;
  TokenGates<T> first_;
  std::vector<Linear<T>> inputs_;  // of layer l at l - 1
  std::vector<Gru<T>> layers_;
  std::vector<uint32_t> sites_;
};

extern template class AttentionGru<float>;
extern template class AttentionGru<double>;

}  // namespace attend::fused
