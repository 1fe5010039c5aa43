// T5's relative positions: a learned number for each head and bucket of distances; Raffel et al.
// 2020, section 2.1.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "attend/ops/parameter_store.h"

namespace attend {

struct T5Buckets {
  int64_t buckets = 32;        ///< in all
  int64_t max_distance = 128;  ///< from here on all share the last bucket
  /// Half of the buckets are for keys that lie behind the query; else (causal) those share the
  /// bucket of distance 0.
  bool bidirectional = true;
};

/// The bucket of key - query. Of a direction's n buckets the first n / 2 hold a distance each, the
/// rest grow with its logarithm up to max_distance. In the order of T5's own code.
int64_t t5_bucket(int64_t distance, const T5Buckets& buckets);

/// Parameter: weight (buckets, H). Added to the scores. T5 has one table for all layers of a stack
/// and leaves out the 1 / sqrt(D) of scaled dot products; here each layer has its own, and the
/// score is whichever is chosen.
class T5Bias {
 public:
  T5Bias() = default;
  /// Throws InvalidArgument unless a direction has at least 2 buckets and max_distance is above
  /// half of its buckets.
  T5Bias(const ParameterScope& scope, int64_t heads, const T5Buckets& buckets);

  /// (H, Tq, Tk); the queries are the last of the keys' positions. Differentiable.
  at::Tensor operator()(int64_t queries, int64_t keys) const;
  /// The same by distance, (H, Tq + Tk - 1), for ops::AttentionOptions::distance_bias.
  at::Tensor by_distance(int64_t queries, int64_t keys) const;

 private:
  T5Buckets buckets_;
  Parameter weight_;
};

}  // namespace attend
