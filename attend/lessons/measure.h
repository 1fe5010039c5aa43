// What lessons measure: gradients, time and memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "attend/render/curves.h"

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

/// A line for each name through (size, measure(number of the line, size)), on logarithmic axes.
render::Curves measured_curves(const std::string& x_axis, const std::string& y_axis,
                               const std::vector<std::string>& names,
                               const std::vector<int64_t>& sizes,
                               const std::function<double(size_t line, int64_t size)>& measure);

/// p of y ~ x^p towards the line's end: over its last three points.
double growth_power(const render::Series& line);

}  // namespace attend::lessons
