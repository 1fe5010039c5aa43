// Multi-head attention as decoding has it (kernels/attention_look.h): each row looks by itself, so
// that it comes out the same with any other rows.
#pragma once

#include <vector>

#include "attend/fused/attention_block.h"
#include "attend/fused/decoder.h"
#include "attend/kernels/attention_look.h"

namespace attend::fused {

class LookAttention {
 public:
  LookAttention(const AttentionPlaces& places, Panels<float>& panels);

  int64_t heads() const { return heads_; }
  int64_t width() const { return output_.inputs(); }

  /// x (n, D) -> queries, keys and values side by side, (n, 3D); queries alone in cross-attention.
  Rows<float> project(const Pass<float>& pass, Rows<const float> x) const;

  /// A cross-attention's keys and values of the memory (N, D) -> y (N, 2D).
  void project_memory(const Pass<float>& pass, Rows<const float> memory, Rows<float> y) const {
    memory_.forward(pass, memory, y);
  }

  /// Queries (n, D) over `memory` (n), each of at most `longest` keys, projected: y (n, D). Returns
  /// the weights, (n, heads, look_keys(longest)), in the pass's memory.
  const float* look(const Pass<float>& pass, Rows<const float> queries,
                    const kernels::LookMemory* memory, int64_t longest, Rows<float> y) const;

  /// Self-attention of whole sentences: x (N, D) -> y (N, D). `weights` (B, heads, S, S), zeros at
  /// first, with S the longest sentence; or null.
  void among(const Pass<float>& pass, const std::vector<int64_t>& offsets, int64_t longest,
             Rows<const float> x, Rows<float> y, float* weights) const;

 private:
  const float* attend(const Pass<float>& pass, Rows<const float> queries,
                      const kernels::LookMemory* memory, int64_t longest, float* out) const;

  Projections<float> own_, memory_;
  Linear<float> output_;
  int64_t heads_;
};

/// Puts the key of token t (features numbers) where attention_look() looks for it.
inline void put_key(const float* key, int64_t features, int64_t t, float* blocks) {
  float* to = blocks + kernels::look_key(t, features);
  for (int64_t j = 0; j < features; ++j) to[j * kernels::kLookBlock] = key[j];
}

}  // namespace attend::fused
