#include "attend/attention/additive.h"

#include "attend/ops/check.h"

namespace attend {

AdditiveAttention::AdditiveAttention(const ParameterScope& scope, const Options& options)
    : hidden_(options.hidden),
      query_(scope.scope("query"), {.inputs = options.query_size,
                                    .outputs = options.hidden,
                                    .bias = false,
                                    .init = options.init}),
      key_(scope.scope("key"), {.inputs = options.key_size,
                                .outputs = options.hidden,
                                .bias = false,
                                .init = options.init}),
      score_(scope.scope("score").add("weight", {1, options.hidden}, options.init)) {}

at::Tensor AdditiveAttention::project_keys(const at::Tensor& keys) const { return key_(keys); }

ops::AttentionResult AdditiveAttention::forward(const at::Tensor& queries, const at::Tensor& keys,
                                                const at::Tensor& values, const Mask& mask,
                                                const ops::AttentionOptions& options) const {
  if (!queries.defined() || queries.dim() != 3 || queries.size(2) != query_.inputs() ||
      !keys.defined() || keys.dim() != 3 || keys.size(2) != key_.inputs())
    ops::refuse("additive_attention",
                "queries (B, Tq, " + std::to_string(query_.inputs()) + ") and keys (B, Tk, " +
                    std::to_string(key_.inputs()) + ")",
                {queries, keys});
  return forward_projected(queries, project_keys(keys), values, mask, options);
}

ops::AttentionResult AdditiveAttention::forward_projected(
    const at::Tensor& queries, const at::Tensor& projected_keys, const at::Tensor& values,
    const Mask& mask, const ops::AttentionOptions& options) const {
  return ops::additive_attention(query_(queries), projected_keys, score_->view({hidden_}), values,
                                 mask, options);
}

}  // namespace attend
