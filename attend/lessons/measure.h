// What lessons measure: gradients, time and memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace attend::lessons {

/// The gradients of the sum of `output` in each of `inputs`, whose graph is kept: more can be asked
/// of it. Zeros where none arrives.
std::vector<at::Tensor> gradients(const at::Tensor& output, const std::vector<at::Tensor>& inputs);
/// The same of one.
at::Tensor gradient(const at::Tensor& output, const at::Tensor& input);

/// The least seconds that one call took, of at least 3 calls and as many as fit in `budget`
/// seconds. The first call, which warms up, does not count.
double seconds_of(const std::function<void()>& work, double budget = 0.02);

/// Most bytes of tensors on the CPU that lived at once during the call and not before. Counts what
/// this thread makes.
int64_t peak_tensor_bytes(const std::function<void()>& work);

}  // namespace attend::lessons
