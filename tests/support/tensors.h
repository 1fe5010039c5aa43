// Tensors for tests, without a random generator.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <c10/core/GradMode.h>

#include <cstdint>
#include <vector>

#include "attend/ops/parameter_store.h"

namespace attend::testing {

/// cos(start + 0, 1, 2, ...) in row-major order. The goldens' inputs are made the same way.
inline at::Tensor cosines(const std::vector<int64_t>& shape, double start = 0.0,
                          at::ScalarType dtype = at::kDouble) {
  int64_t numel = 1;
  for (const int64_t n : shape) numel *= n;
  return at::arange(numel, at::kDouble).add(start).cos().view(shape).to(dtype);
}

/// The same as a leaf that wants a gradient.
inline at::Tensor leaf(const std::vector<int64_t>& shape, double start = 0.0,
                       at::ScalarType dtype = at::kDouble) {
  return cosines(shape, start, dtype).set_requires_grad(true);
}

/// Sets the parameter of this name. Throws when there is none.
inline void set_parameter(const ParameterStore& store, const std::string& name,
                          const at::Tensor& value) {
  c10::NoGradGuard no_grad;
  for (const auto& slot : store.slots())
    if (slot->name == name) {
      slot->value.copy_(value.view(slot->shape));
      return;
    }
  throw std::runtime_error("no parameter is named " + name);
}

}  // namespace attend::testing
