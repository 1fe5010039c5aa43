// Attention as functions of tensors: score, normalise under a mask, pool the values.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "attend/ops/dropout.h"
#include "attend/ops/mask.h"
#include "attend/ops/normaliser_kind.h"

namespace attend::ops {

/// What every mechanism below honours alike.
struct AttentionOptions {
  bool return_weights = false;       ///< asking changes no other number
  DropoutState dropout = {};         ///< on the weights, after they are returned; default off
  uint32_t site = 0;                 ///< of the dropout in the model
  std::vector<int64_t> rows = {};    ///< (B) sentences' numbers in the batch; empty = 0 .. B-1
  std::optional<double> scale = {};  ///< scaled_dot_product_attention alone: default 1 / sqrt(Dh)
  Normaliser normaliser = Normaliser::kSoftmax;  ///< from scores to weights
  /// Added to the scores before they are normalised: of their dtype, broadcastable to them, as
  /// (H, Tq, Tk) to (B, H, Tq, Tk); undefined = none. Finite: what is to be hidden, the mask hides.
  at::Tensor bias = {};
  /// Added too: what hangs on how far the key stands from the query alone, (H or 1, Tq + Tk - 1);
  /// j - i + Tq - 1 is the place of key j and query i. Undefined = none.
  at::Tensor distance_bias = {};
};

struct AttentionResult {
  at::Tensor output;
  at::Tensor weights;  ///< before dropout, rows sum to 1 or 0; undefined unless asked for
};

/// score(queries, keys) of all pairs: (B, [H,] Tq, Dq) and (B, [H,] Tk, Dk) -> (B, [H,] Tq, Tk).
/// It must treat each query and key on its own, and be finite where they are.
using ScoreFunction = std::function<at::Tensor(const at::Tensor& queries, const at::Tensor& keys)>;

/// Pools the values by any score: normalise(score(q, k) + bias) v under the mask. All others here
/// are cases of this.
///
/// q (B, Tq, Dq), k (B, Tk, Dk), v (B, Tk, Dv), or all with a dimension of heads (B, H, ., .); one
/// floating dtype, one device -> output (B, [H,] Tq, Dv), weights (B, [H,] Tq, Tk). A query that
/// may attend to nothing gives zeros. What is hidden from a query reaches neither its output nor
/// any gradient through it, NaN and infinity included: to the score, keys and queries that are not
/// finite are zero. A query that does see a non-finite key or value gets NaN, which passes no
/// gradient on. Throws InvalidArgument for other shapes.
AttentionResult attend_by(const ScoreFunction& score, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, const Mask& mask,
                          const AttentionOptions& options = {});

/// softmax(scale q k^T) v under the mask; Vaswani et al. 2017, eq. 1.
///
/// q (B, H, Tq, Dh), k (B, H, Tk, Dh), v (B, H, Tk, Dv) -> output (B, H, Tq, Dv), weights
/// (B, H, Tq, Tk). k and v may have fewer heads G, a divisor of H: query head h sees theirs number
/// h / (H / G) (Ainslie et al. 2023). Else as attend_by(). Differentiable once, in float and double
/// on the CPU by kernels, which keep no (Tq, Tk) weights unless asked for them and skip what a mask
/// of lengths, order or window hides; on CUDA by LibTorch's, where no weights or dropout are asked.
AttentionResult scaled_dot_product_attention(const at::Tensor& q, const at::Tensor& k,
                                             const at::Tensor& v, const Mask& mask,
                                             const AttentionOptions& options = {});

/// The twin that defines the meaning, by attend_by(); serves other devices and dtypes, values that
/// are not finite, and other normalisers.
AttentionResult scaled_dot_product_attention_composed(const at::Tensor& q, const at::Tensor& k,
                                                      const at::Tensor& v, const Mask& mask,
                                                      const AttentionOptions& options = {});

/// softmax(w^T tanh(q_i + k_j)) v under the mask; Bahdanau et al. 2015, A.1.2. Queries and keys
/// come projected: project keys once, then call this at each decoder step.
///
/// q (B, Tq, A), k (B, Tk, A), w (A), values (B, Tk, Dv)
/// -> output (B, Tq, Dv), weights (B, Tq, Tk). Else as above. No (B, Tq, Tk, A) tensor is held.
AttentionResult additive_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w,
                                   const at::Tensor& values, const Mask& mask,
                                   const AttentionOptions& options = {});

/// Normalises given scores (B, Tq, Tk) or (B, H, Tq, Tk) and pools values (B, Tk, Dv) or
/// (B, H, Tk, Dv): what every mechanism shares.
AttentionResult attend_with_scores(const at::Tensor& scores, const at::Tensor& values,
                                   const Mask& mask, const AttentionOptions& options = {});

/// (H, Tq, Tk) from AttentionOptions::distance_bias, (H, Tq + Tk - 1). Differentiable.
at::Tensor bias_of_pairs(const at::Tensor& by_distance, int64_t queries, int64_t keys);

/// Dropout of weights (B, [H,] Tq, Tk) as all of the above apply it before they pool: a row is
/// numbered by its sentence, head and query, so that the draw for a pair hangs neither on the
/// padding nor on the neighbours. The weights themselves when dropout is off.
at::Tensor drop_weights(const at::Tensor& weights, const AttentionOptions& options);

/// core::weight_row() for each row of weights (B, [H,] Tq, Tk). `sentences` (B), or empty = 0 ..
/// B-1.
std::vector<int64_t> weight_rows(at::IntArrayRef weights, const std::vector<int64_t>& sentences);

}  // namespace attend::ops
