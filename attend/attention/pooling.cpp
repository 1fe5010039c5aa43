#include "attend/attention/pooling.h"

#include <ATen/ops/cdist.h>
#include <ATen/ops/zeros.h>

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {

ops::AttentionResult average_pooling(const at::Tensor& values, int64_t queries, const Mask& mask,
                                     const ops::AttentionOptions& options) {
  ops::check_floating("average_pooling", {values});
  if (values.dim() != 3) ops::refuse("average_pooling", "values (B, Tk, Dv)", {values});
  if (queries < 0)
    throw InvalidArgument("[average_pooling] expected a number of queries, found " +
                          std::to_string(queries));
  const at::Tensor equal =
      at::zeros({values.size(0), queries, values.size(1)}, values.options());  // (B, Tq, Tk)
  return ops::attend_with_scores(equal, values, mask, options);
}

ops::AttentionResult gaussian_kernel_attention(const at::Tensor& queries, const at::Tensor& keys,
                                               const at::Tensor& values, const at::Tensor& width,
                                               const Mask& mask,
                                               const ops::AttentionOptions& options) {
  constexpr auto kOp = "gaussian_kernel_attention";
  ops::check_floating(kOp, {queries, keys, values, width});
  const bool fits = queries.dim() == 3 && keys.dim() == 3 && values.dim() == 3 &&
                    queries.size(2) == keys.size(2) && width.dim() <= 1 &&
                    (width.numel() == 1 || width.size(0) == keys.size(2));
  if (!fits)
    ops::refuse(kOp, "queries (B, Tq, D), keys (B, Tk, D), values (B, Tk, Dv) and width () or (D)",
                {queries, keys, values, width});
  // Without the matrix-product shortcut (mode 2), which cancels badly for near neighbours.
  const at::Tensor distance =
      at::cdist(queries.mul(width), keys.mul(width), 2.0, /*compute_mode=*/2);  // (B, Tq, Tk)
  return ops::attend_with_scores(distance.square().mul(-0.5), values, mask, options);
}

}  // namespace attend
