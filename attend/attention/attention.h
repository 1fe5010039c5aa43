// Attention: score, normalise under a mask, pool the values. One concept; what differs is the
// score.
//
// Swapped by its type in code:
//
//   AdditiveAttention attention(store.scope("attention"), {.query_size = 32, .key_size = 64});
//   AttentionWith<BilinearScore> attention(store.scope("attention"), {...});   // or any other
//
// or by its name in a configuration:
//
//   Attention attention(ScoreKind::kBilinear, store.scope("attention"), {...});
//
// The normaliser, the bias, dropout and the returned weights are the same for all: see
// ops::AttentionOptions. Without parameters, and so without a store:
//
//   attend_by(ScaledDotScore(), queries, keys, values, Mask::padding(lengths));
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <utility>

#include "attend/attention/score.h"
#include "attend/ops/attention.h"

namespace attend {

/// queries (B, [H,] Tq, Dq), keys (B, [H,] Tk, Dk), values (B, [H,] Tk, Dv)
/// -> output (B, [H,] Tq, Dv), weights (B, [H,] Tq, Tk) if asked for; as ops::attend_by() says.
ops::AttentionResult attend_by(const Score& score, const at::Tensor& queries,
                               const at::Tensor& keys, const at::Tensor& values, const Mask& mask,
                               const ops::AttentionOptions& options = {});

/// A score with what every mechanism shares. Light to copy: copies share the parameters.
class Attention {
 public:
  using Options = ScoreOptions;

  /// By name.
  Attention(ScoreKind kind, const ParameterScope& scope, const Options& options)
      : Attention(make_score(kind, scope, options), options) {}
  /// With a score of one's own. Of `options` the sizes alone are read, to check what comes in;
  /// those that are 0 are not checked.
  explicit Attention(std::shared_ptr<const Score> score, const Options& options = {});

  /// queries (B, [H,] Tq, query_size), keys (B, [H,] Tk, key_size), values (B, [H,] Tk, Dv)
  /// -> output (B, [H,] Tq, Dv), weights (B, [H,] Tq, Tk) if asked for. Throws InvalidArgument for
  /// other shapes.
  ops::AttentionResult forward(const at::Tensor& queries, const at::Tensor& keys,
                               const at::Tensor& values, const Mask& mask,
                               const ops::AttentionOptions& options = {}) const;

  /// What the score makes of the keys: made once, for all steps of a decoder.
  at::Tensor project_keys(const at::Tensor& keys) const;

  /// forward() from project_keys(). Same numbers.
  ops::AttentionResult forward_projected(const at::Tensor& queries,
                                         const at::Tensor& projected_keys, const at::Tensor& values,
                                         const Mask& mask,
                                         const ops::AttentionOptions& options = {}) const;

  const Score& score() const { return *score_; }

 private:
  std::shared_ptr<const Score> score_;
  int64_t query_size_;
  int64_t key_size_;
};

/// By type.
template <ScoreType S>
class AttentionWith : public Attention {
 public:
  AttentionWith(const ParameterScope& scope, const Options& options)
      : Attention(std::make_shared<const S>(scope, options), options) {}
};

/// Bahdanau, Cho, Bengio 2015, A.1.2. Parameters: query.weight, key.weight, score.weight.
using AdditiveAttention = AttentionWith<AdditiveScore>;

}  // namespace attend
