// Multi-head attention over packed rows with its projections: of rows to themselves, or to a
// memory.
#pragma once

#include "attend/fused/packed_attention.h"
#include "attend/fused/projections.h"

namespace attend::fused {

struct AttentionPlaces {
  LinearPlace query, key, value, output;
  int64_t heads = 1;
  bool causal = false;
  bool cross = false;  ///< keys and values come from a memory
  uint32_t site = 0;   ///< of dropout on weights
};

template <class T>
class AttentionBlock {
 public:
  AttentionBlock() = default;
  AttentionBlock(const AttentionPlaces& places, Panels<T>& panels);

  struct Trace {
    T* own;       ///< (Nq, 3D): queries, keys, values; or queries alone, (Nq, D)
    T* memory;    ///< (Nk, 2D): keys and values, with a memory
    T* attended;  ///< (Nq, D)
    T* sums;      ///< packed_attention_sums()
    const uint32_t* keys;
  };

  /// What it looks at: `numbers` (heads, Nq) are dropout's; `memory` only in cross-attention.
  struct Sight {
    const SentencePairs& pairs;
    const std::vector<int64_t>& numbers;
    Rows<const T> memory;
  };

  Trace forward(const Pass<T>& pass, const Sight& sight, Rows<const T> x, Rows<T> y) const;

  /// d_x = or += that of x, written after the last look at d_y; d_memory, in cross-attention, is
  /// written or, with `add_memory`, added to.
  struct Gradients {
    Rows<T> x;
    bool add;
    Rows<T> memory;
    bool add_memory;
  };
  void backward(const Pass<T>& pass, const Sight& sight, const Trace& trace, Rows<const T> x,
                Rows<const T> d_y, const Gradients& gradients) const;

 private:
  PackedAttention<T> attention(const Pass<T>& pass, const Sight& sight, const Trace& trace,
                               int64_t rows) const;

  Projections<T> own_;     // of x
  Projections<T> memory_;  // of the memory
  Linear<T> output_;
  int64_t width_ = 0, heads_ = 1;
  bool causal_ = false, cross_ = false;
  uint32_t site_ = 0;
};

extern template class AttentionBlock<float>;
extern template class AttentionBlock<double>;

}  // namespace attend::fused
