#include "attend/attention/distance.h"

#include <ATen/ops/arange.h>

#include <algorithm>
#include <string>

#include "attend/core/errors.h"

namespace attend {

namespace {

at::TensorOptions integers(int64_t queries, int64_t keys, at::Device device) {
  if (queries < 0 || keys < 0)
    throw InvalidArgument("[key_distances] expected numbers of queries and keys, found " +
                          std::to_string(queries) + " and " + std::to_string(keys));
  return at::TensorOptions().dtype(at::kLong).device(device);
}

}  // namespace

at::Tensor key_distances(int64_t queries, int64_t keys, at::Device device) {
  const at::TensorOptions options = integers(queries, keys, device);
  const at::Tensor query = at::arange(keys - queries, keys, options).unsqueeze(1);
  return at::arange(keys, options).sub(query);  // (Tq, Tk)
}

at::Tensor distance_range(int64_t queries, int64_t keys, at::Device device) {
  const at::TensorOptions options = integers(queries, keys, device);
  return at::arange(1 - keys, std::max(queries, 1 - keys), options);  // (Tq + Tk - 1)
}

}  // namespace attend
