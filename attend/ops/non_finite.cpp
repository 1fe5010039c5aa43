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

at::Tensor spoiled_queries(const at::Tensor& bad_queries, const at::Tensor& bad_keys,
                           const at::Tensor& hidden) {
  at::Tensor spoiled;
  if (!bad_queries.defined() && !bad_keys.defined()) return spoiled;
  const at::Tensor visible = hidden.logical_not();
  if (bad_keys.defined())
    spoiled = bad_keys.transpose(-2, -1).logical_and(visible).any(-1, /*keepdim=*/true);
  if (bad_queries.defined()) {
    const at::Tensor live = bad_queries.logical_and(visible.any(-1, /*keepdim=*/true));
    spoiled = spoiled.defined() ? spoiled.logical_or(live) : live;
  }
  return spoiled;  // (..., Tq or 1, 1)
}

at::Tensor spoil(const at::Tensor& x, const at::Tensor& rows) {
  return rows.defined() ? x.masked_fill(rows, kNaN) : x;
}

}  // namespace attend::ops
