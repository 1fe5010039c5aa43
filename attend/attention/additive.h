// Additive attention as a layer: Bahdanau, Cho, Bengio 2015, A.1.2.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "attend/ops/attention.h"
#include "attend/ops/linear.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// score(q, k) = w^T tanh(W_q q + W_k k), without biases; queries and keys may differ in size.
/// Parameters: query.weight (hidden, query_size), key.weight (hidden, key_size), score.weight
/// (1, hidden).
class AdditiveAttention {
 public:
  struct Options {
    int64_t query_size = 0;
    int64_t key_size = 0;
    int64_t hidden = 0;  ///< width of the features
    Init init = Init::kXavierUniform;
  };

  AdditiveAttention(const ParameterScope& scope, const Options& options);

  /// queries (B, Tq, query_size), keys (B, Tk, key_size), values (B, Tk, Dv)
  /// -> output (B, Tq, Dv), weights (B, Tq, Tk)
  ops::AttentionResult forward(const at::Tensor& queries, const at::Tensor& keys,
                               const at::Tensor& values, const Mask& mask,
                               const ops::AttentionOptions& options = {}) const;

  /// W_k k, (B, Tk, hidden): made once, for all steps of a decoder.
  at::Tensor project_keys(const at::Tensor& keys) const;

  /// forward() from project_keys(). Same numbers.
  ops::AttentionResult forward_projected(const at::Tensor& queries,
                                         const at::Tensor& projected_keys, const at::Tensor& values,
                                         const Mask& mask,
                                         const ops::AttentionOptions& options = {}) const;

 private:
  int64_t hidden_;
  Linear query_;
  Linear key_;
  Parameter score_;
};

}  // namespace attend
