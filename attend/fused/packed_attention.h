// Multi-head scaled dot-product attention over packed rows, forward and backward: what
// ops/packed_attention.h says, on raw memory.
#pragma once

#include <cstdint>

#include "attend/fused/linear.h"
#include "attend/fused/sentence_rows.h"

namespace attend::fused {

/// Everything has to be finite.
template <class T>
struct PackedAttention {
  Rows<const T> query;  ///< (Nq, D)
  Rows<const T> key;    ///< (Nk, D)
  Rows<const T> value;  ///< (Nk, Dv)
  const SentencePairs& pairs;
  int64_t heads;             ///< divides D and Dv
  bool causal;               ///< the same sentences on both sides
  const uint32_t* row_keys;  ///< (heads, Nq): dropout's; or null
  double dropout;            ///< the probability
  /// packed_attention_sums() numbers, kept from forward to backward: of each row's softmax the
  /// greatest score and 1 / sum.
  T* sums;
};

/// Short sentences go a lane each and keep nothing (kernels/short_attention.h), long ones head by
/// head (kernels/attention.h). `width` is a head's.
template <class T>
int64_t packed_attention_sums(const SentencePairs& pairs, int64_t heads, int64_t width);

/// out (Nq, Dv) = softmax(q k^T / sqrt(D / heads)) v, head by head; zeros where a sentence has no
/// keys.
template <class T>
void packed_attention(const PackedAttention<T>& p, Rows<T> out, Workspace& work);

/// All are written.
template <class T>
struct PackedAttentionGradients {
  Rows<T> query, key, value;
};
/// `out` as forward left it.
template <class T>
void packed_attention_backward(const PackedAttention<T>& p, Rows<const T> out, Rows<const T> d_out,
                               const PackedAttentionGradients<T>& gradients, Workspace& work);

}  // namespace attend::fused
