// Multi-head scaled dot-product attention over packed rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/ops/dropout.h"
#include "attend/ops/packed.h"

namespace attend::ops {

struct PackedAttentionOptions {
  int64_t heads = 1;  ///< H, has to divide D
  bool causal =
      false;  ///< a query sees its own position and those before it (same layout on both sides)
  DropoutState dropout;  ///< on the weights
  uint32_t site = 0;
  /// The query rows' numbers in the whole batch (Nq); needed when dropout is active.
  const std::vector<int64_t>* row_numbers = nullptr;
  /// If not null, receives the weights before dropout, (B, H, Tq, Tk), zeros beyond the real
  /// tokens.
  at::Tensor* weights = nullptr;
};

/// softmax(Q K^T / sqrt(D / H)) V, each sentence on its own, head by head.
///
///   query       (Nq, D) in `query_layout`
///   key, value  (Nk, D) in `key_layout`; as many sentences
///   returns     (Nq, D)
///
/// A sentence without keys gives zeros. Differentiable. Throws InvalidArgument for other shapes.
at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const PackedLayout& query_layout, const PackedLayout& key_layout,
                            const PackedAttentionOptions& options);

/// The weights of a rectangle: softmax of scores (B, H, Tq, Tk) where `allowed` (broadcastable
/// bool, or undefined for all) is true; a row that may attend to nothing gives zeros.
at::Tensor attention_weights(const at::Tensor& scores, const at::Tensor& allowed,
                             bool may_have_dead_rows);

}  // namespace attend::ops
