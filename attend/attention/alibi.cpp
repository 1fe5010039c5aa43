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

at::Tensor alibi_bias(int64_t heads, int64_t queries, int64_t keys,
                      const at::TensorOptions& options) {
  const at::Device device = options.device();
  const at::Tensor slopes =
      at::tensor(alibi_slopes(heads), at::TensorOptions().dtype(at::kDouble).device(device));
  const at::Tensor distance = key_distances(queries, keys, device).abs().to(at::kDouble);
  return slopes.view({heads, 1, 1}).mul(distance).neg_().to(options);  // (H, Tq, Tk)
}

}  // namespace attend
