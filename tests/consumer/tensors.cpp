// Uses a header of tensors.
#include <ATen/ops/sum.h>

#include "attend/ops/mask.h"

// How many of the 3 x 3 pairs a causal mask lets through.
long causal_pairs() {
  const at::Tensor mask = attend::Mask::causal().materialise(1, 1, 3, 3, at::kCPU);
  return at::sum(mask).item<int64_t>();
}
