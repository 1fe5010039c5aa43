// The KV cache of decoding: the keys and values that a decoder's layers keep of what was written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attend/kernels/attention_look.h"

namespace attend::fused {

/// Of the tokens that B sentences wrote, in every layer. Rows that leave cost nothing until the
/// memory is made anew.
class LookCache {
 public:
  LookCache(int64_t layers, int64_t sentences, int64_t features);
  LookCache(const LookCache& other);
  LookCache& operator=(const LookCache&) = delete;

  int64_t size() const { return static_cast<int64_t>(slots_.size()); }
  int64_t tokens() const { return tokens_; }  ///< of each sentence

  /// Keeps these sentences, in this order; repeats allowed.
  void reorder(const std::vector<int64_t>& rows);

  /// Makes room for a token more of each sentence.
  void grow();
  /// The new token's key and value (features numbers each) of sentence `row` in a layer; what is
  /// looked at from then on.
  kernels::LookMemory put(int64_t layer, int64_t row, const float* key, const float* value);

 private:
  float* place(int64_t layer, int64_t slot) const {
    return memory_.get() + (layer * slot_count_ + slot) * 2 * capacity_ * features_;
  }
  // Into new memory: slot i becomes that of sentence i.
  void rebuild(int64_t capacity);

  int64_t layers_, features_;
  int64_t tokens_ = 0, capacity_ = 0, slot_count_ = 0;
  std::vector<int64_t> slots_;       // of each sentence
  std::unique_ptr<float[]> memory_;  // (layers, slots, [keys, values], capacity, features)
};

}  // namespace attend::fused
