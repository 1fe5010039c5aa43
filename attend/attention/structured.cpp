#include "attend/attention/structured.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "attend/ops/non_finite.h"

namespace attend {
namespace {

const StructuredAttention::Options& checked(const StructuredAttention::Options& options) {
  if (options.size < 1 || options.hidden < 1 || options.hops < 1)
    throw InvalidArgument("[structured_attention] expected sizes of at least 1, found size " +
                          std::to_string(options.size) + ", hidden " +
                          std::to_string(options.hidden) + " and " + std::to_string(options.hops) +
                          " hops");
  return options;
}

}  // namespace

StructuredAttention::StructuredAttention(const ParameterScope& scope, const Options& options)
    : features_(scope.scope("features"), {.inputs = checked(options).size,
                                          .outputs = options.hidden,
                                          .bias = false,
                                          .init = options.init}),
      hops_(scope.scope("hops").add("weight", {options.hops, options.hidden}, options.init)) {}

ops::AttentionResult StructuredAttention::forward(const at::Tensor& states, const Mask& mask,
                                                  const ops::AttentionOptions& options) const {
  if (!states.defined() || states.dim() != 3 || states.size(2) != features_.inputs())
    ops::refuse("structured_attention", "states (B, T, " + std::to_string(features_.inputs()) + ")",
                {states});
  const at::Tensor keys = ops::map_rows(
      states, [this](const at::Tensor& x) { return features_(x).tanh(); });  // (B, T, hidden)
  const at::Tensor queries =
      hops_->unsqueeze(0).expand({states.size(0), -1, -1});  // (B, hops, hidden)
  const auto score = [](const at::Tensor& q, const at::Tensor& k) {
    return ops::batched_product(q, k.transpose(-2, -1));  // (B, hops, T)
  };
  return ops::attend_by(score, queries, keys, states, mask, options);
}

at::Tensor redundancy_penalty(const at::Tensor& weights) {
  ops::check_floating("redundancy_penalty", {weights});
  if (weights.dim() != 3) ops::refuse("redundancy_penalty", "weights (B, r, T)", {weights});
  const at::Tensor overlap = ops::batched_product(weights, weights.transpose(1, 2));  // (B, r, r)
  return (overlap - at::eye(weights.size(1), weights.options()))
      .square()
      .sum(at::IntArrayRef{1, 2});  // (B)
}

}  // namespace attend
