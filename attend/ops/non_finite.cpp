#include "attend/ops/non_finite.h"

#include <ATen/ops/isfinite.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <limits>

namespace attend::ops {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Any NaN or infinity makes the sum one; a sum that overflows costs time, not correctness.
bool surely_finite(const at::Tensor& x) {
  return x.is_cpu() && std::isfinite(x.detach().sum().item<double>());
}

}  // namespace

FiniteRows finite_rows(const at::Tensor& x) {
  if (surely_finite(x)) return {x, {}};
  const at::Tensor bad =
      at::isfinite(x.detach()).logical_not_().any(-1, /*keepdim=*/true);  // (..., T, 1)
  return {x.masked_fill(bad, 0.0), bad};
}

at::Tensor restore_in_scores(const at::Tensor& scores, const at::Tensor& bad_queries,
                             const at::Tensor& bad_keys) {
  at::Tensor restored = scores;
  if (bad_queries.defined()) restored = restored.masked_fill(bad_queries, kNaN);
  if (bad_keys.defined()) restored = restored.masked_fill(bad_keys.transpose(-2, -1), kNaN);
  return restored;
}

at::Tensor restore_in_output(const at::Tensor& output, const at::Tensor& bad_values,
                             const at::Tensor& hidden) {
  if (!bad_values.defined()) return output;
  const at::Tensor seen = bad_values.transpose(-2, -1).logical_and(hidden.logical_not());
  return output.masked_fill(seen.any(-1, /*keepdim=*/true), kNaN);
}

}  // namespace attend::ops
