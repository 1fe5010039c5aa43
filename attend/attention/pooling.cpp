#include "attend/attention/pooling.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "attend/core/errors.h"
#include "attend/ops/check.h"
#include "attend/ops/fused.h"
#include "attend/ops/running_average.h"
#include "attend/ops/squared_distances.h"

namespace attend {
namespace {

constexpr auto kKernelOp = "kernel_pooling";

// u from u^2, with slope 0 instead of infinity at 0, and within reach: beyond u = 1 all is 0.
at::Tensor distance(const at::Tensor& squared) { return squared.clamp(1e-30, 1.0).sqrt(); }

at::Tensor evaluate(KernelKind kind, const at::Tensor& squared) {
  switch (kind) {
    case KernelKind::kGaussian:
      return squared.mul(-0.5).exp();
    case KernelKind::kBoxcar:
      return squared.detach().lt(1.0).to(squared.scalar_type());
    case KernelKind::kEpanechnikov:
      return squared.clamp_max(1.0).neg().add(1.0);
    case KernelKind::kTriangular:
      return distance(squared).neg().add(1.0);
    case KernelKind::kCosine:  // cos(pi / 2) is not quite 0
      return distance(squared).mul(std::numbers::pi / 2).cos().masked_fill(squared.ge(1.0), 0.0);
  }
  throw InternalError("[kernel] an unknown kind");
}

// K over its sum over the visible keys; a row without mass is zero.
at::Tensor normalised(const at::Tensor& kernel, const at::Tensor& hidden) {
  const at::Tensor seen = hidden.defined() ? kernel.masked_fill(hidden, 0.0) : kernel;
  const at::Tensor total = seen.sum(-1, /*keepdim=*/true);  // (..., Tq, 1)
  const at::Tensor nothing = total.detach().le(0.0);
  return (seen / total.masked_fill(nothing, 1.0)).masked_fill(nothing, 0.0);
}

void check_kernel_pooling(const at::Tensor& queries, const at::Tensor& keys,
                          const at::Tensor& values, const at::Tensor& width,
                          const ops::AttentionOptions& options) {
  ops::check_floating(kKernelOp, {queries, keys, values, width});
  const int64_t n = queries.dim();
  const bool fits = (n == 3 || n == 4) && keys.dim() == n && values.dim() == n &&
                    queries.size(-1) == keys.size(-1) && width.dim() <= 1 &&
                    (width.numel() == 1 || width.size(0) == keys.size(-1));
  if (!fits)
    ops::refuse(
        kKernelOp,
        "queries (B, [H,] Tq, D), keys (B, [H,] Tk, D), values (B, [H,] Tk, Dv) and width () or "
        "(D)",
        {queries, keys, values, width});
  if (options.bias.defined() || options.distance_bias.defined() ||
      options.normaliser != Normaliser::kSoftmax)
    throw InvalidArgument(std::string("[") + kKernelOp +
                          "] expected neither a bias nor a normaliser: a kernel's weights are its "
                          "own");
}

// How many keys each query (B, Tq) sees, where it is the first ones, of no query fewer than of the
// one before, and a running sum gives the average; else nothing.
std::optional<std::vector<int64_t>> first_keys(const at::Tensor& values, int64_t queries,
                                               const Mask& mask,
                                               const ops::AttentionOptions& options) {
  if (!ops::detail::takes_steps(values) || options.dropout.active() || options.bias.defined() ||
      options.distance_bias.defined() || options.normaliser != Normaliser::kSoftmax)
    return {};
  const int64_t batch = values.size(0), keys = values.size(1);
  const Mask::Limits limits = mask.limits(batch, 1, queries, keys, values.device());
  const bool from_first = limits.least + queries - 1 <= 0;
  const bool one_length = !limits.lengths.defined() || limits.lengths.size(1) == 1;
  if (!from_first || !one_length || limits.hidden.defined() || !ops::detail::all_finite({values}))
    return {};
  std::vector<int64_t> counts;
  counts.reserve(static_cast<size_t>(batch * queries));
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t length =
        limits.lengths.defined() ? limits.lengths.const_data_ptr<int64_t>()[b] : keys;
    for (int64_t i = 0; i < queries; ++i)
      counts.push_back(std::clamp<int64_t>(i + limits.most + 1, 0, length));
  }
  return counts;
}

}  // namespace

ops::AttentionResult average_pooling(const at::Tensor& values, int64_t queries, const Mask& mask,
                                     const ops::AttentionOptions& options) {
  ops::check_floating("average_pooling", {values});
  if (values.dim() != 3) ops::refuse("average_pooling", "values (B, Tk, Dv)", {values});
  if (queries < 0)
    throw InvalidArgument("[average_pooling] expected a number of queries, found " +
                          std::to_string(queries));
  const auto by_weights = [&] {
    const at::Tensor equal =
        at::zeros({values.size(0), queries, values.size(1)}, values.options());  // (B, Tq, Tk)
    return ops::attend_with_scores(equal, values, mask, options);
  };
  const std::optional<std::vector<int64_t>> counts = first_keys(values, queries, mask, options);
  if (!counts) return by_weights();
  return {ops::detail::running_average(values, *counts),
          options.return_weights ? by_weights().weights : at::Tensor()};
}

at::Tensor Kernel::operator()(const at::Tensor& squared) const {
  return own_ ? own_(squared) : evaluate(kind_, squared);
}

ops::AttentionResult kernel_pooling(const at::Tensor& queries, const at::Tensor& keys,
                                    const at::Tensor& values, const at::Tensor& width,
                                    const Kernel& kernel, const Mask& mask,
                                    const ops::AttentionOptions& options) {
  check_kernel_pooling(queries, keys, values, width, options);
  ops::AttentionOptions own = options;
  if (!kernel.is_gaussian()) own.normaliser = Normaliser::kNone;
  const at::ScalarType dtype = queries.scalar_type(), wide = at::toOpMathType(dtype);
  // Widened here, where rows that are not finite are zero, so that they spoil no gradient of it.
  const auto score = [&](const at::Tensor& q, const at::Tensor& k) {
    const at::Tensor w = width.to(wide);
    const at::Tensor squared = ops::squared_distances(q.to(wide) * w, k.to(wide) * w);
    if (kernel.is_gaussian()) return squared.mul(-0.5).to(dtype);  // (B, [H,] Tq, Tk)
    const at::Tensor hidden = mask.hidden_for(squared.sizes(), squared.device());
    return normalised(kernel(squared), hidden).to(dtype);
  };
  return ops::attend_by(score, queries, keys, values, mask, own);
}

}  // namespace attend
