#include "attend/ops/batched_product.h"

#include <ATen/ops/bmm.h>

#include "attend/ops/check.h"

namespace attend::ops {
namespace {

// (..., T, D) -> (N, T, D), so that a product is one node.
at::Tensor flat(const at::Tensor& x) {
  return x.dim() == 3 ? x : x.reshape({x.size(0) * x.size(1), x.size(2), x.size(3)});
}

void check(const at::Tensor& a, const at::Tensor& b) {
  check_floating("batched_product", {a, b});
  if (!leading_sizes_agree(a, b) || a.size(-1) != b.size(-2))
    refuse("batched_product", "(B, [H,] M, K) and (B, [H,] K, N)", {a, b});
}

}  // namespace

bool leading_sizes_agree(const at::Tensor& a, const at::Tensor& b) {
  const int64_t n = a.dim();
  return (n == 3 || n == 4) && b.dim() == n && a.size(0) == b.size(0) &&
         (n == 3 || a.size(1) == b.size(1));
}

at::Tensor batched_product(const at::Tensor& a, const at::Tensor& b) {
  check(a, b);
  const at::Tensor c = at::bmm(flat(a), flat(b));
  return a.dim() == 3 ? c : c.view({a.size(0), a.size(1), a.size(2), b.size(3)});
}

at::Tensor for_each_head(const at::Tensor& x, int64_t heads) {
  const int64_t groups = x.size(1);
  if (groups == heads) return x;
  return x.unsqueeze(2)
      .expand({x.size(0), groups, heads / groups, x.size(2), x.size(3)})
      .reshape({x.size(0), heads, x.size(2), x.size(3)});
}

}  // namespace attend::ops
