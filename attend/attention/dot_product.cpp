#include "attend/attention/dot_product.h"

#include "attend/ops/check.h"

namespace attend {

ops::AttentionResult dot_product_attention(const at::Tensor& queries, const at::Tensor& keys,
                                           const at::Tensor& values, const Mask& mask,
                                           DotScore score, const ops::AttentionOptions& options) {
  ops::check_floating("dot_product_attention", {queries, keys, values});
  if (queries.dim() != 3 || keys.dim() != 3 || values.dim() != 3)
    ops::refuse("dot_product_attention", "queries (B, Tq, D), keys (B, Tk, D), values (B, Tk, Dv)",
                {queries, keys, values});
  ops::AttentionOptions own = options;
  if (score == DotScore::kPlain && !own.scale) own.scale = 1.0;
  const ops::AttentionResult one_head = ops::scaled_dot_product_attention(
      queries.unsqueeze(1), keys.unsqueeze(1), values.unsqueeze(1), mask, own);
  return {one_head.output.squeeze(1),
          one_head.weights.defined() ? one_head.weights.squeeze(1) : at::Tensor()};
}

}  // namespace attend
