#include "attend/attention/relative.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <string>

#include "attend/attention/distance.h"
#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {

RelativePositions::RelativePositions(const ParameterScope& scope, const Options& options)
    : max_distance_(options.max_distance) {
  if (options.max_distance < 0)
    throw InvalidArgument("[relative] expected a max_distance of at least 0, found " +
                          std::to_string(options.max_distance));
  const std::vector<int64_t> shape{2 * max_distance_ + 1, options.width};
  key_ = scope.scope("key").add("weight", shape, Init::kXavierUniform);
  if (options.values) value_ = scope.scope("value").add("weight", shape, Init::kXavierUniform);
}

at::Tensor RelativePositions::rows_of(const at::Tensor& like, int64_t keys) const {
  const int64_t queries = like.size(2);
  return key_distances(queries, keys, like.device())
      .clamp_(-max_distance_, max_distance_)
      .add_(max_distance_)
      .expand({like.size(0), like.size(1), queries, keys});
}

at::Tensor RelativePositions::scores(const at::Tensor& q, int64_t keys) const {
  if (!q.defined() || q.dim() != 4 || q.size(3) != key_->size(1))
    ops::refuse("relative", "queries (B, H, Tq, " + std::to_string(key_->size(1)) + ")", {q});
  const at::Tensor by_distance = at::matmul(q, key_->t());  // (B, H, Tq, 2k + 1)
  return by_distance.gather(-1, rows_of(q, keys));          // (B, H, Tq, Tk)
}

at::Tensor RelativePositions::pooled(const at::Tensor& weights) const {
  if (!value_) return {};
  if (!weights.defined() || weights.dim() != 4)
    ops::refuse("relative", "weights (B, H, Tq, Tk)", {weights});
  const at::Tensor none = at::zeros(
      {weights.size(0), weights.size(1), weights.size(2), value_->size(0)}, weights.options());
  const at::Tensor by_distance =
      none.scatter_add(-1, rows_of(weights, weights.size(3)), weights);  // (B, H, Tq, 2k + 1)
  return at::matmul(by_distance, *value_);                               // (B, H, Tq, D)
}

}  // namespace attend
