// Gradients against central differences, in double.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/compare.h"
#include "tests/support/tensors.h"

namespace attend::testing {

using TensorFunction = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// d(sum of out * direction) / d(input) for each input; zeros where the input is not used.
inline std::vector<at::Tensor> gradients_of(const TensorFunction& function,
                                            const std::vector<at::Tensor>& inputs,
                                            const at::Tensor& direction = {}) {
  const at::Tensor out = function(inputs);
  const at::Tensor weights =
      direction.defined() ? direction : cosines(out.sizes().vec(), 0.7, out.scalar_type());
  auto found = torch::autograd::grad({out.mul(weights.to(out.device())).sum()}, inputs, {},
                                     std::nullopt, false, /*allow_unused=*/true);
  for (size_t i = 0; i < found.size(); ++i)
    if (!found[i].defined()) found[i] = at::zeros_like(inputs[i]);
  return found;
}

/// Checks the gradient with respect to every element of every input (double leaves), along two
/// directions of the output.
inline ::testing::AssertionResult check_gradients(const TensorFunction& function,
                                                  const std::vector<at::Tensor>& inputs,
                                                  double step = 1e-6,
                                                  Tolerance tolerance = {1e-6, 1e-7}) {
  for (const double phase : {0.7, 2.3}) {
    const at::Tensor out = function(inputs);
    if (out.scalar_type() != at::kDouble)
      return ::testing::AssertionFailure() << "the output is not double";
    const at::Tensor direction = cosines(out.sizes().vec(), phase);
    const auto analytic = gradients_of(function, inputs, direction);
    c10::NoGradGuard no_grad;
    const auto value = [&] { return function(inputs).mul(direction).sum().item<double>(); };
    for (size_t n = 0; n < inputs.size(); ++n) {
      if (!inputs[n].is_contiguous() || inputs[n].scalar_type() != at::kDouble)
        return ::testing::AssertionFailure() << "input " << n << " is no contiguous double";
      at::Tensor numeric = at::zeros_like(inputs[n]);
      double *x = inputs[n].data_ptr<double>(), *slope = numeric.data_ptr<double>();
      for (int64_t i = 0; i < inputs[n].numel(); ++i) {
        const double kept = x[i];
        x[i] = kept + step;
        const double above = value();
        x[i] = kept - step;
        const double below = value();
        x[i] = kept;
        slope[i] = (above - below) / (2.0 * step);
      }
      const auto result = close(analytic[n], numeric, tolerance);
      if (!result)
        return ::testing::AssertionFailure() << "input " << n << ": " << result.message();
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace attend::testing
