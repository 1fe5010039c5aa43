#include "attend/layers/learned_positions.h"

#include <ATen/ops/arange.h>

#include <string>

#include "attend/core/errors.h"

namespace attend {

LearnedPositions::LearnedPositions(const ParameterScope& scope, const Options& options)
    : weight_(scope.add("weight", {options.length, options.width}, options.init)) {}

at::Tensor LearnedPositions::rows(int64_t first, int64_t count) const {
  if (first < 0 || count < 0)
    throw InvalidArgument("[learned_positions] expected first >= 0 and count >= 0, found " +
                          std::to_string(first) + " and " + std::to_string(count));
  if (first + count <= weight_->size(0)) return weight_->narrow(0, first, count);
  const at::Tensor index =
      at::arange(first, first + count,
                 at::TensorOptions().dtype(at::kLong).device(weight_->device()))
          .clamp_max_(weight_->size(0) - 1);
  return weight_->index_select(0, index);
}

}  // namespace attend
