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
struct LookMemory {
  const float* keys;     ///< (look_keys(count) / kLookBlock, D, kLookBlock)
  const float* values;   ///< (count, D), rows value_stride apart
  int64_t value_stride;  ///< >= D
  int64_t count;         ///< 0: zeros come out
};

struct AttentionLookRows {
  const float* query;  ///< (n, D), rows query_stride apart
  int64_t query_stride;
  const LookMemory* memory;  ///< (n)
  int64_t n, heads, width;
  float scale;
  float* weights;         ///< (n, heads, weight_stride): w, then anything
  int64_t weight_stride;  ///< >= look_keys() of each row's count
  float* out;             ///< (n, D), contiguous
};
void attention_look(const AttentionLookRows& p);

}  // namespace attend::kernels
