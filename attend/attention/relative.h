// Relative positions as learned vectors: Shaw, Uszkoreit, Vaswani 2018, 3.2.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "attend/ops/parameter_store.h"

namespace attend {

/// A vector for each distance from -k to k, shared by the heads; longer distances are clipped to k.
/// One is added to each key and one to each value:
///
///   score_ij = q_i . (k_j + a^K_{j - i}),   output_i = sum_j weight_ij (v_j + a^V_{j - i})
///
/// Neither sum is formed: q a^K is one product (B, H, Tq, 2k + 1), from which each pair takes its
/// distance's entry; weights are summed by distance before they meet a^V (the paper's 3.3).
/// Parameters: key.weight (2k + 1, width) and, if wanted, value.weight; row k is distance 0.
class RelativePositions {
 public:
  struct Options {
    int64_t width = 0;          ///< D, of a head
    int64_t max_distance = 16;  ///< k, at least 0; the paper's machine translation: 16
    bool values = true;         ///< vectors for values too (the paper finds them to matter little)
  };

  RelativePositions() = default;
  /// Throws InvalidArgument for a negative distance.
  RelativePositions(const ParameterScope& scope, const Options& options);

  /// q (B, H, Tq, D) -> q_i . a^K_{j - i}, (B, H, Tq, Tk). The queries are the last of the keys'
  /// positions.
  at::Tensor scores(const at::Tensor& q, int64_t keys) const;

  /// weights (B, H, Tq, Tk) -> sum_j weight_ij a^V_{j - i}, (B, H, Tq, D); undefined without
  /// values.
  at::Tensor pooled(const at::Tensor& weights) const;

 private:
  // Which row of the tables each pair takes, broadcast over sentences and heads.
  at::Tensor rows_of(const at::Tensor& like, int64_t keys) const;  // (B, H, Tq, Tk)

  int64_t max_distance_ = 0;
  Parameter key_;
  Parameter value_;
};

}  // namespace attend
