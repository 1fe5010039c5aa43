// Scaled dot-product attention of single queries, as decoding asks it: one query a row, each over
// the keys and values of its own sentence (Vaswani et al. 2017, 3.2.1, every head at once).
//
//   s_t = scale q . k_t   w = softmax(s)   out = sum_t w_t v_t
//
// Keys lie feature by feature, so that a vector holds one feature of many keys and no score is
// summed across lanes.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// Strides of keys and weights are multiples of this many numbers: vectors are whole there.
inline constexpr int64_t kLookBlock = 16;

/// A sentence's keys and values, D = heads x width.
template <class T>
struct LookMemory {
  const T* keys;         ///< (D, key_stride), of which the first `count` columns are keys
  const T* values;       ///< (count, D), rows value_stride apart
  int64_t key_stride;    ///< >= count
  int64_t value_stride;  ///< >= D
  int64_t count;         ///< 0: zeros come out
};

template <class T>
struct AttentionLookRows {
  const T* query;  ///< (n, D), rows query_stride apart
  int64_t query_stride;
  const LookMemory<T>* memory;  ///< (n)
  int64_t n, heads, width;
  T scale;
  T* weights;             ///< (n, heads, weight_stride): w, then anything
  int64_t weight_stride;  ///< >= each row's key_stride
  T* out;                 ///< (n, D), contiguous
};
void attention_look(const AttentionLookRows<float>& p);
void attention_look(const AttentionLookRows<double>& p);

}  // namespace attend::kernels
