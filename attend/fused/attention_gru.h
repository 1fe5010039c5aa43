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
  WeightPlace context;            ///< (3H, M): of layer 0's input weight
  std::vector<GruPlaces> layers;  ///< `input` of layer 0 is not read: its products come in
  uint32_t weight_site = 0;       ///< of dropout on the weights
};

/// What the decoder looks at: sentence b's rows are begins[b] ... + lengths[b] - 1.
template <class T>
struct Memory {
  const T* keys;                 ///< (N, A)
  const T* values;               ///< (N, M)
  const int64_t* begins;         ///< (B), in the order of the decoder's layout
  const int64_t* lengths;        ///< (B)
  int64_t longest;               ///< S
  const bool* hidden = nullptr;  ///< (B, S): cells among those that may not be seen; null: none
};

template <class T>
class AttentionGru {
 public:
  AttentionGru() = default;
  AttentionGru(const AttentionGruPlaces& places, Panels<T>& panels);

  int64_t width() const { return layers_.front().width(); }
  size_t layers() const { return layers_.size(); }

  struct Trace {
    T *queries, *weights, *look, *multiplier;  ///< (N, A), (N, S), (N, S), (N, S) or null
    T* contexts;                               ///< (N, M); like queries and weights the last
                                               ///< step's only, where the pass does not learn
    std::vector<GruTrace<T>> layers;
    std::vector<T*> entered;  ///< as in GruStack
    std::vector<const uint32_t*> keys;
  };

  /// gates (N, 3H), layer 0's input products for the tokens, are overwritten; states as in
  /// GruStack::forward; `numbers` are dropout's row numbers. `rows` (N, H), of the trace unless
  /// null, receives the top rows, which are in the last layer's trace.
  Trace forward(const Pass<T>& pass, const TimeMajor& layout, const std::vector<int64_t>& numbers,
                const Memory<T>& memory, T* gates, const std::vector<T*>& states,
                T* rows = nullptr) const;

  /// One step of n sentences without dropout: gates (n, 3H), which are overwritten; states [l]
  /// (n, H) move on, the last are what comes out. Returns the weights, (n, S) as far as a
  /// sentence's cells go, in the pass's memory.
  const T* step(const Pass<T>& pass, int64_t n, const Memory<T>& memory, T* gates,
                const std::vector<T*>& states) const;

  /// d_rows (N, H) of the top rows; d_states as in GruStack::backward; d_keys and d_values are
  /// added to. Sets the parameters' gradients; returns that of the gates, (N, 3H).
  const T* backward(const Pass<T>& pass, const TimeMajor& layout, const Memory<T>& memory,
                    const Trace& trace, const T* d_rows, const std::vector<T*>& d_states, T* d_keys,
                    T* d_values) const;

 private:
  kernels::AdditiveLookRows<T> look_rows(const Pass<T>& pass, const Memory<T>& memory,
                                         const T* queries, const T* multiplier, int64_t n) const;
  static const T* multiplier_of(const Trace& trace, const Memory<T>& memory, int64_t row) {
    return trace.multiplier == nullptr ? nullptr : trace.multiplier + row * memory.longest;
  }
  Trace begin(const Pass<T>& pass, const TimeMajor& layout, const std::vector<int64_t>& numbers,
              const Memory<T>& memory, T* top) const;

  Linear<T> query_, context_;
  int64_t score_ = 0;
  uint32_t weight_site_ = 0;
  std::vector<Linear<T>> inputs_;  // of layer l at l - 1
  std::vector<Gru<T>> layers_;
  std::vector<uint32_t> sites_;
};

extern template class AttentionGru<float>;
extern template class AttentionGru<double>;

}  // namespace attend::fused
