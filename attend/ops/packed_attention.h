// Multi-head scaled dot-product attention over packed rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/ops/dropout.h"
#include "attend/ops/mask.h"
#include "attend/ops/packed.h"

namespace attend::ops {

struct PackedAttentionOptions {
  int64_t heads = 1;  ///< H, has to divide D
  /// A query sees its own position and those before it; the same layout on both sides.
  bool causal = false;
  DropoutState dropout = {};  ///< on the weights
  uint32_t site = 0;
  /// The query rows' numbers in the whole batch (Nq), rising by one within a sentence; needed when
  /// dropout is active.
  const std::vector<int64_t>* row_numbers = nullptr;
  /// If not null, receives the weights before dropout, (B, H, Tq, Tk), zeros beyond the real
  /// tokens.
  at::Tensor* weights = nullptr;
};

/// softmax(Q K^T / sqrt(D / H)) V, each sentence on its own, head by head: ops::attention's
/// scaled_dot_product_attention with what it says of masks and of values that are not finite.
///
///   query       (Nq, D) in `query_layout`
///   key, value  (Nk, D) in `key_layout`; as many sentences
///   returns     (Nq, D)
///
/// A sentence without keys gives zeros. The draws of dropout hang neither on the padding nor on how
/// the batch is cut. Differentiable, once in float and double on the CPU, where kernels work on the
/// rows as they lie and keep no (Tq, Tk) matrix. Throws InvalidArgument for other shapes.
at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const PackedLayout& query_layout, const PackedLayout& key_layout,
                            const PackedAttentionOptions& options);

/// The twin that defines the meaning, of plain operations on padded tensors; serves other devices
/// and dtypes.
at::Tensor packed_attention_composed(const at::Tensor& query, const at::Tensor& key,
                                     const at::Tensor& value, const PackedLayout& query_layout,
                                     const PackedLayout& key_layout,
                                     const PackedAttentionOptions& options);

/// Who may attend to whom in the padded rectangle of these keys: real ones, and when causal those
/// up to the query's own position (padding lies behind every real token).
Mask packed_mask(const PackedLayout& keys, bool causal);

/// The sentences' numbers for dropout of weights, each its first query's row; 0 for one without
/// queries. `row_numbers` as in PackedAttentionOptions. Throws InvalidArgument unless there is one
/// a row.
std::vector<int64_t> sentence_numbers(const std::vector<int64_t>& row_numbers,
                                      const PackedLayout& queries);

/// Weights (B, H, Tq, Tk) of padded queries, detached, with zeros for those that are padding.
at::Tensor real_weights(const at::Tensor& weights, const PackedLayout& queries);

}  // namespace attend::ops
