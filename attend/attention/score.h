// score(query, key): the step in which mechanisms of attention differ.
//
// A score is an object with its parameters. All of them are made in the same way, so that one is
// swapped for another by its type in code or by its name in a configuration:
//
//   BilinearScore score(store.scope("score"), {.query_size = 32, .key_size = 64});
//   auto named = make_score(ScoreKind::kBilinear, store.scope("score"), {...});
//
// Attention (attention.h) normalises the scores and pools the values. A score of your own derives
// from Score and goes where these go.
#pragma once

#include <ATen/core/Tensor.h>

#include <concepts>
#include <cstdint>
#include <memory>

#include "attend/attention/kinds.h"
#include "attend/ops/linear.h"
#include "attend/ops/parameter_store.h"

namespace attend {

struct ScoreOptions {
  int64_t query_size = 0;  ///< Dq; needed by scores that have matrices, others take what comes
  int64_t key_size = 0;    ///< Dk; 0 = query_size
  int64_t hidden = 0;      ///< width A of the additive features; 0 = query_size
  int64_t heads = 1;  ///< H; with more than one, tensors are (B, H, T, .) and each head has its
                      ///< own parameters. Sizes are those of one head.
  Init init = Init::kXavierUniform;
};

/// Without state besides its parameters: safe to use from any number of threads.
class Score {
 public:
  virtual ~Score() = default;

  /// What is made of keys (B, [H,] Tk, key_size) once, however many queries come: a decoder keeps
  /// it. A key that is not finite becomes NaN here and spoils no gradient. Throws InvalidArgument
  /// for another width or number of heads.
  virtual at::Tensor project_keys(const at::Tensor& keys) const { return keys; }

  /// queries (B, [H,] Tq, query_size) and what project_keys() gave -> (B, [H,] Tq, Tk). Each pair's
  /// score hangs on that pair alone.
  virtual at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const = 0;

  /// Of a score that is a dot product with the projected keys: what is made of queries for it,
  /// (B, [H,] Tq, D), so that no scores need to be kept. Undefined for others, and the default.
  virtual at::Tensor factor(const at::Tensor& queries) const;
};

/// What can be swapped by type.
template <class S>
concept ScoreType = std::derived_from<S, Score> &&
                    std::constructible_from<S, const ParameterScope&, const ScoreOptions&>;

/// x W^T for (B, T, D), or of each head with its own W for (B, H, T, D). Parameter: weight
/// (H * outputs, inputs); head h owns rows h * outputs onwards. No bias.
class HeadLinear {
 public:
  HeadLinear(const ParameterScope& scope, int64_t inputs, int64_t outputs,
             const ScoreOptions& options);
  /// (B, [H,] T, inputs) -> (B, [H,] T, outputs)
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  int64_t heads_;
  int64_t outputs_;
  Linear linear_;
};

/// w^T tanh(W_q q + W_k k), without biases; Bahdanau et al. 2015, A.1.2. Queries and keys may
/// differ in size. Parameters: query.weight (H * hidden, query_size), key.weight (H * hidden,
/// key_size), score.weight (H, hidden).
class AdditiveScore final : public Score {
 public:
  AdditiveScore(const ParameterScope& scope, const ScoreOptions& options);
  at::Tensor project_keys(const at::Tensor& keys) const override;
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const override;

 private:
  HeadLinear query_;
  HeadLinear key_;
  Parameter score_;
};

/// q . k; Luong et al. 2015, 3.1. No parameters.
class DotScore final : public Score {
 public:
  DotScore() = default;
  DotScore(const ParameterScope&, const ScoreOptions& options);
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const override;
  at::Tensor factor(const at::Tensor& queries) const override;
};

/// q . k / sqrt(D); Vaswani et al. 2017, 3.2.1. No parameters.
class ScaledDotScore final : public Score {
 public:
  ScaledDotScore() = default;
  ScaledDotScore(const ParameterScope&, const ScoreOptions& options);
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const override;
  at::Tensor factor(const at::Tensor& queries) const override;
};

/// q^T W k, "general" in Luong et al. 2015, 3.1. Parameter: key.weight (H * query_size, key_size);
/// the projected keys are W k.
class BilinearScore final : public Score {
 public:
  BilinearScore(const ParameterScope& scope, const ScoreOptions& options);
  at::Tensor project_keys(const at::Tensor& keys) const override;
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const override;
  at::Tensor factor(const at::Tensor& queries) const override;

 private:
  HeadLinear key_;
};

/// scale q . k / (|q| |k|); Graves et al. 2014, 3.3.1. A vector of length 0 scores 0. Parameter:
/// scale (H), ones at first; the projected keys have length 1.
class CosineScore final : public Score {
 public:
  CosineScore(const ParameterScope& scope, const ScoreOptions& options);
  at::Tensor project_keys(const at::Tensor& keys) const override;
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const override;
  at::Tensor factor(const at::Tensor& queries) const override;

 private:
  Parameter scale_;
};

/// -|w (q - k)|^2 / 2, with which softmax is the kernel regression of Nadaraya 1964 and Watson
/// 1964. w multiplies, so a larger one is a narrower kernel. Parameter: width (H), ones at first.
class GaussianScore final : public Score {
 public:
  GaussianScore(const ParameterScope& scope, const ScoreOptions& options);
  at::Tensor project_keys(const at::Tensor& keys) const override;
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected_keys) const override;

 private:
  Parameter width_;
};

/// The score of this name. Throws InvalidArgument, with the sizes, for options it can't have.
std::unique_ptr<const Score> make_score(ScoreKind kind, const ParameterScope& scope,
                                        const ScoreOptions& options);

}  // namespace attend
