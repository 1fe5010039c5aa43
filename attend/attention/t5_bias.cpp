#include "attend/attention/t5_bias.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/ops/attention.h"
#include "attend/ops/packed.h"

namespace attend {

int64_t t5_bucket(int64_t distance, const T5Buckets& buckets) {
  const int64_t count = buckets.bidirectional ? buckets.buckets / 2 : buckets.buckets;
  const int64_t first = buckets.bidirectional && distance > 0 ? count : 0;
  const int64_t away = buckets.bidirectional ? std::abs(distance) : std::max<int64_t>(-distance, 0);
  const int64_t exact = count / 2;
  if (away < exact) return first + away;
  const double share =
      std::log(static_cast<double>(away) / static_cast<double>(exact)) /
      std::log(static_cast<double>(buckets.max_distance) / static_cast<double>(exact));
  const double grown = share * static_cast<double>(count - exact);
  return first + std::min(exact + static_cast<int64_t>(grown), count - 1);
}

T5Bias::T5Bias(const ParameterScope& scope, int64_t heads, const T5Buckets& buckets)
    : buckets_(buckets),
      weight_(scope.add("weight", {buckets.buckets, heads}, Init::kXavierUniform)) {
  const int64_t count = buckets.bidirectional ? buckets.buckets / 2 : buckets.buckets;
  if (count < 2 || buckets.max_distance <= count / 2)
    throw InvalidArgument(
        "[t5_bias] expected at least 2 buckets a direction and a max_distance above half of them, "
        "found " +
        std::to_string(count) + " and " + std::to_string(buckets.max_distance));
}

at::Tensor T5Bias::by_distance(int64_t queries, int64_t keys) const {
  std::vector<int64_t> buckets;
  for (int64_t distance = 1 - keys; distance < queries; ++distance)
    buckets.push_back(t5_bucket(distance, buckets_));
  return weight_->index_select(0, ops::index_tensor(buckets, weight_->device()))
      .t();  // (H, Tq + Tk - 1)
}

at::Tensor T5Bias::operator()(int64_t queries, int64_t keys) const {
  if (queries == 0 || keys == 0) return weight_->new_zeros({weight_->size(1), queries, keys});
  return ops::bias_of_pairs(by_distance(queries, keys), queries, keys);  // (H, Tq, Tk)
}

}  // namespace attend
