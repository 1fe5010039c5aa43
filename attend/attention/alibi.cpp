#include "attend/attention/alibi.h"

#include <ATen/ops/tensor.h>

#include <cmath>
#include <string>

#include "attend/attention/distance.h"
#include "attend/core/errors.h"

namespace attend {

std::vector<double> alibi_slopes(int64_t heads) {
  if (heads < 1)
    throw InvalidArgument("[alibi] expected at least 1 head, found " + std::to_string(heads));
  int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes;
  for (int64_t h = 0; h < heads; ++h) {
    // Beyond `power` heads: entries 0, 2, 4, ... of the slopes for twice as many.
    const double steps =
        h < power ? static_cast<double>(h + 1) : static_cast<double>(2 * (h - power) + 1) / 2.0;
    slopes.push_back(std::exp2(-8.0 * steps / static_cast<double>(power)));
  }
  return slopes;
}

namespace {

at::Tensor sloped(int64_t heads, const at::Tensor& distance, const at::TensorOptions& options) {
  const at::Tensor slopes = at::tensor(
      alibi_slopes(heads), at::TensorOptions().dtype(at::kDouble).device(options.device()));
  std::vector<int64_t> sizes(static_cast<size_t>(distance.dim()) + 1, 1);
  sizes[0] = heads;
  return slopes.view(sizes).mul(distance.abs().to(at::kDouble)).neg_().to(options);
}

}  // namespace

at::Tensor alibi_bias(int64_t heads, int64_t queries, int64_t keys,
                      const at::TensorOptions& options) {
  return sloped(heads, key_distances(queries, keys, options.device()), options);  // (H, Tq, Tk)
}

at::Tensor alibi_distances(int64_t heads, int64_t queries, int64_t keys,
                           const at::TensorOptions& options) {
  return sloped(heads, distance_range(queries, keys, options.device()),
                options);  // (H, Tq + Tk - 1)
}

}  // namespace attend
