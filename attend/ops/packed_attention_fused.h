// packed_attention on kernels: sentence by sentence and head by head on the packed rows as they
// lie, a block of queries at a time, so that no (Tq, Tk) matrix outlives its block unless weights
// are asked for. Private to ops.
#pragma once

#include <optional>
#include <string>

#include "attend/ops/packed_attention.h"

namespace attend::ops::detail {

/// Why the function below does not take these; empty when it does.
std::string unsupported_reason(const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value);

/// packed_attention for checked arguments without unsupported_reason(). `sentences` as of
/// sentence_numbers() when dropout is active. Differentiable once.
at::Tensor packed_attention_fused(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, const PackedLayout& query_layout,
                                  const PackedLayout& key_layout,
                                  const PackedAttentionOptions& options,
                                  std::vector<int64_t> sentences);

}  // namespace attend::ops::detail
