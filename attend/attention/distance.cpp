#include "attend/attention/distance.h"

#include <ATen/ops/arange.h>

#include <string>

#include "attend/core/errors.h"

namespace attend {

at::Tensor key_distances(int64_t queries, int64_t keys, at::Device device) {
  if (queries < 0 || keys < 0)
    throw InvalidArgument("[key_distances] expected numbers of queries and keys, found " +
                          std::to_string(queries) + " and " + std::to_string(keys));
  const auto integers = at::TensorOptions().dtype(at::kLong).device(device);
  const at::Tensor query = at::arange(keys - queries, keys, integers).unsqueeze(1);
  return at::arange(keys, integers).sub(query);  // (Tq, Tk)
}

}  // namespace attend
