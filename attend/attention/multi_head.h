// Multi-head attention: Vaswani et al. 2017, 3.2.2, with the variations in use.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "attend/attention/kinds.h"
#include "attend/attention/linear_attention.h"
#include "attend/attention/relative.h"
#include "attend/attention/rotary.h"
#include "attend/attention/score.h"
#include "attend/attention/t5_bias.h"
#include "attend/ops/attention.h"
#include "attend/ops/linear.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// What one attention keeps of the keys and values it has seen, for decoding. A value: copies stand
/// alone.
struct KeyValueCache {
  /// (B, G, Tk, hidden / H), G the heads of keys; of a score that makes something of keys: that,
  /// (B, H, Tk, .).
  at::Tensor keys;
  at::Tensor values;  ///< (B, G, Tk, hidden / H)
  /// Position of the first key that is kept: step() lets go of those a window has left behind.
  int64_t first = 0;
  LinearState linear;  ///< of step() with linear attention, in place of the others

  /// Keeps the sentences `rows` (int64), in that order.
  void reorder(const at::Tensor& rows);
};

/// Projects queries, keys and values, attends in each head, joins the heads and projects them.
/// Parameters: query.weight (hidden, query_size), key.weight (G hidden / H, key_size), value.weight
/// (G hidden / H, value_size), output.weight (hidden, hidden), and their biases; head h owns rows
/// h * hidden / H onwards, and a group of H / G heads after each other shares a head of keys and
/// values. What scores and positions add lies under score, relative and t5.
///
/// PyTorch's nn.MultiheadAttention of width 512 with 8 heads and biases:
///
///   MultiHeadAttention attention(store.scope(), {.query_size = 512, .heads = 8, .bias = true});
class MultiHeadAttention {
 public:
  struct Options {
    int64_t query_size = 0;
    int64_t key_size = 0;         ///< 0 = query_size
    int64_t value_size = 0;       ///< 0 = key_size
    int64_t hidden = 0;           ///< d_model, of all heads together; 0 = query_size
    int64_t heads = 1;            ///< H, divides hidden
    int64_t key_value_heads = 0;  ///< G, divides heads: grouped-query attention (Ainslie et al.
                                  ///< 2023), 1 = multi-query (Shazeer 2019); 0 = heads
    bool bias = false;            ///< in all four projections
    ScoreKind score = ScoreKind::kScaledDot;  ///< in each head with its own parameters
    Normaliser normaliser = Normaliser::kSoftmax;
    bool linear = false;  ///< linear attention in place of score and normaliser
    int64_t window = 0;   ///< a query sees keys nearer than this, as Mask::window; 0 = all
    /// kRotary, kAlibi, kRelative or kT5 (the others belong to embeddings and do nothing here).
    /// The queries are the last of the keys' positions.
    PositionKind positions = PositionKind::kNone;
    RotaryOptions rotary = {};
    int64_t max_distance = 16;    ///< kRelative: longer distances are clipped
    bool relative_values = true;  ///< kRelative: vectors for values too
    T5Buckets t5 = {};
    Init init = Init::kXavierUniform;
  };

  MultiHeadAttention() = default;
  /// Throws InvalidArgument, with both numbers, when heads do not divide hidden or key_value_heads
  /// do not divide heads; for kRelative with a score that is no dot product; for kRotary in heads
  /// of one feature, which is no pair to turn; for linear with anything that acts on scores.
  MultiHeadAttention(const ParameterScope& scope, const Options& options);

  /// queries (B, Tq, query_size), keys (B, Tk, key_size), values (B, Tk, value_size)
  /// -> output (B, Tq, hidden), weights (B, H, Tq, Tk) if asked for. Of `options` the normaliser is
  /// not read. Dropout does not act on linear attention, which has no weights.
  ops::AttentionResult forward(const at::Tensor& queries, const at::Tensor& keys,
                               const at::Tensor& values, const Mask& mask,
                               const ops::AttentionOptions& options = {}) const;

  /// Keys and values, projected and split: made once where they serve many queries. The first of
  /// them stands at position `first`.
  KeyValueCache project(const at::Tensor& keys, const at::Tensor& values, int64_t first = 0) const;

  /// forward() from project(). Same numbers.
  ops::AttentionResult forward_projected(const at::Tensor& queries, const KeyValueCache& cache,
                                         const Mask& mask,
                                         const ops::AttentionOptions& options = {}) const;

  /// Causal self-attention step by step: feeds T more tokens x (B, T, query_size), each of which
  /// sees the cached ones, those before it and itself, and moves `cache` on (empty at first)
  /// -> output (B, T, hidden), weights (B, H, T, all tokens so far). Same numbers as forward() with
  /// Mask::causal() over all tokens. Throws InvalidArgument for another B than the cache's.
  ops::AttentionResult step(const at::Tensor& x, KeyValueCache& cache,
                            const ops::AttentionOptions& options = {}) const;

  /// Whether this is the paper's attention, which ops::packed_attention computes from the
  /// projections below.
  bool plain() const;

  const Options& options() const { return options_; }  ///< with no size left 0
  int64_t heads() const { return options_.heads; }
  int64_t hidden() const { return options_.hidden; }
  const Linear& query() const { return query_; }
  const Linear& key() const { return key_; }
  const Linear& value() const { return value_; }
  const Linear& output() const { return output_; }

 private:
  int64_t width() const { return options_.hidden / options_.heads; }
  at::Tensor split(const at::Tensor& x, int64_t heads) const;
  at::Tensor turned(const at::Tensor& x, int64_t first) const;
  at::Tensor for_each_head(const at::Tensor& x) const;
  void add_positions(const at::Tensor& q, int64_t keys, ops::AttentionOptions& options) const;
  ops::AttentionResult pool(const at::Tensor& q, const KeyValueCache& cache, const Mask& mask,
                            const ops::AttentionOptions& options) const;
  ops::AttentionResult pool_relative(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const Mask& mask, const ops::AttentionOptions& options) const;
  ops::AttentionResult joined(const ops::AttentionResult& heads) const;

  Options options_;
  Linear query_, key_, value_, output_;
  std::shared_ptr<const Score> score_;  // null for dot products, which have no parameters
  RelativePositions relative_;
  T5Bias t5_;
};

}  // namespace attend
