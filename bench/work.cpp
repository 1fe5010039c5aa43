#include "bench/work.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace attend::bench {
namespace {

void fill(at::Tensor& tensor, double phase, double scale) {
  c10::NoGradGuard no_grad;
  float* values = tensor.mutable_data_ptr<float>();
  for (int64_t n = 0; n < tensor.numel(); ++n)
    values[n] = static_cast<float>(scale * std::cos(0.7 * static_cast<double>(n) + phase));
  tensor.requires_grad_(true);
}

}  // namespace

Leaves Work::leaves() const {
  Leaves tensors;
  for (const auto& input : inputs) tensors.push_back(input.second);
  return tensors;
}

Work make_work(const Shapes& shapes, const ParameterStore* store) {
  Work work;
  for (const auto& [name, shape] : shapes)
    work.inputs.emplace_back(name, at::empty(shape, at::kFloat));
  if (store != nullptr)
    for (const auto& slot : store->slots()) work.inputs.emplace_back(slot->name, slot->value);
  double phase = 0.0;
  for (auto& [name, tensor] : work.inputs) {
    // A row of n columns sums n products: so the sum is about as large as one of them.
    const bool weight = name.ends_with("weight") && tensor.dim() == 2;
    fill(tensor, phase++, weight ? 1.0 / std::sqrt(static_cast<double>(tensor.size(1))) : 1.0);
  }
  return work;
}

Work of_tensors(const Shapes& shapes, const std::function<at::Tensor(const Leaves&)>& pass) {
  Work work = make_work(shapes);
  work.run = [leaves = work.leaves(), pass] { return pass(leaves); };
  return work;
}

}  // namespace attend::bench
