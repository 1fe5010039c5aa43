// Scaled dot-product attention of single queries, as decoding asks it: one query a row, each over
// the keys and values of its own sentence (Vaswani et al. 2017, 3.2.1, every head at once).
//
//   s_t = scale q . k_t   w = softmax(s)   out = sum_t w_t v_t
//
// Keys lie in blocks of kLookBlock, each feature by feature, so that a vector holds one feature of
// many keys, no score is summed across lanes, and more keys move none that are there.
#pragma once

#include <cstdint>

namespace attend::kernels {

inline constexpr int64_t kLookBlock = 16;

/// `count` keys, rounded up to whole blocks.
inline constexpr int64_t look_keys(int64_t count) {
  return (count + kLookBlock - 1) / kLookBlock * kLookBlock;
}

/// Where feature 0 of key t lies, of keys of D features; feature j lies j kLookBlock behind it.
inline constexpr int64_t look_key(int64_t t, int64_t features) {
  return t / kLookBlock * features * kLookBlock + t % kLookBlock;
}

/// A sentence's keys and values, D = heads x width.
template <class T>
struct LookMemory {
  const T* keys;         ///< (look_keys(count) / kLookBlock, D, kLookBlock)
  const T* values;       ///< (count, D), rows value_stride apart
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
  int64_t weight_stride;  ///< >= look_keys() of each row's count
  T* out;                 ///< (n, D), contiguous
};
void attention_look(const AttentionLookRows<float>& p);
void attention_look(const AttentionLookRows<double>& p);

}  // namespace attend::kernels
