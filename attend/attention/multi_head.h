// Multi-head attention: Vaswani et al. 2017, 3.2.2.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "attend/ops/attention.h"
#include "attend/ops/linear.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// Projects queries, keys and values, attends in each head, joins the heads and projects them.
/// Parameters: query.weight (hidden, query_size), key.weight (hidden, key_size), value.weight
/// (hidden, value_size), output.weight (hidden, hidden), and their biases (hidden). Head h owns
/// rows h * hidden / heads onwards.
class MultiHeadAttention {
 public:
  struct Options {
    int64_t query_size = 0;
    int64_t key_size = 0;    ///< 0 = query_size
    int64_t value_size = 0;  ///< 0 = key_size
    int64_t hidden = 0;      ///< d_model, of all heads together; 0 = query_size
    int64_t heads = 1;       ///< divides hidden
    bool bias = false;
    Init init = Init::kXavierUniform;
  };

  /// Throws InvalidArgument, with both numbers, when heads do not divide hidden.
  MultiHeadAttention(const ParameterScope& scope, const Options& options);

  /// queries (B, Tq, query_size), keys (B, Tk, key_size), values (B, Tk, value_size)
  /// -> output (B, Tq, hidden), weights (B, H, Tq, Tk) if asked for
  ops::AttentionResult forward(const at::Tensor& queries, const at::Tensor& keys,
                               const at::Tensor& values, const Mask& mask,
                               const ops::AttentionOptions& options = {}) const;

  /// Keys and values, projected and split: what a decoder keeps in its cache.
  struct Memory {
    at::Tensor keys;    ///< (B, H, Tk, hidden / H)
    at::Tensor values;  ///< (B, H, Tk, hidden / H)
  };
  Memory project(const at::Tensor& keys, const at::Tensor& values) const;

  /// forward() from project(). Same numbers. Memories of steps are joined along Tk by the caller.
  ops::AttentionResult forward_projected(const at::Tensor& queries, const Memory& memory,
                                         const Mask& mask,
                                         const ops::AttentionOptions& options = {}) const;

  int64_t heads() const { return heads_; }
  int64_t hidden() const { return hidden_; }

 private:
  at::Tensor split(const at::Tensor& x) const;

  int64_t hidden_;
  int64_t heads_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
};

}  // namespace attend
