#include "attend/ops/attention.h"

#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>

#include "attend/core/random.h"
#include "attend/core/shape.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "attend/ops/non_finite.h"
#include "attend/ops/normalise.h"

namespace attend::ops {
namespace {

void check_rows(const char* op, const at::Tensor& q, const AttentionOptions& options) {
  if (!options.rows.empty() && static_cast<int64_t>(options.rows.size()) != q.size(0))
    refuse(op, "as many row numbers as sentences (" + std::to_string(options.rows.size()) + ")",
           {q});
}

at::Tensor biased(const at::Tensor& scores, const at::Tensor& bias) {
  if (!bias.defined()) return scores;
  check_floating("attention", {scores, bias});
  if (!broadcasts_to(bias, scores.sizes()))
    refuse("attention", "a bias that can be repeated to the scores", {scores, bias});
  return scores + bias;
}

// Normalise and pool; what all mechanisms share. `hidden` may be undefined; `spoiled` are the
// queries whose scores are not to be trusted, or undefined.
AttentionResult weigh(const at::Tensor& scores, const at::Tensor& values, const at::Tensor& hidden,
                      const AttentionOptions& options, const at::Tensor& spoiled = {}) {
  const FiniteRows v = hidden.defined() ? finite_rows(values) : FiniteRows{values, {}};
  const at::Tensor weights = normalise(biased(scores, options.bias), hidden, options.normaliser);
  const at::Tensor pooled =
      batched_product(drop_weights(weights, options), v.value);  // (..., Tq, Dv)
  return {spoil(spoil(pooled, spoiled), spoiled_queries({}, v.bad, hidden)),
          options.return_weights ? spoil(weights, spoiled) : at::Tensor()};
}

void check_scaled_dot_product(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  constexpr auto kOp = "scaled_dot_product_attention";
  check_floating(kOp, {q, k, v});
  const bool fits = q.dim() == 4 && k.dim() == 4 && v.dim() == 4 && q.size(0) == k.size(0) &&
                    q.size(0) == v.size(0) && q.size(1) == k.size(1) && q.size(1) == v.size(1) &&
                    q.size(3) == k.size(3) && k.size(2) == v.size(2) && q.size(3) > 0;
  if (!fits) refuse(kOp, "q (B, H, Tq, Dh), k (B, H, Tk, Dh) and v (B, H, Tk, Dv)", {q, k, v});
}

void check_additive(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w,
                    const at::Tensor& values) {
  constexpr auto kOp = "additive_attention";
  check_floating(kOp, {q, k, w, values});
  const bool fits = q.dim() == 3 && k.dim() == 3 && w.dim() == 1 && values.dim() == 3 &&
                    q.size(0) == k.size(0) && q.size(0) == values.size(0) &&
                    q.size(2) == k.size(2) && q.size(2) == w.size(0) && k.size(1) == values.size(1);
  if (!fits)
    refuse(kOp, "q (B, Tq, A), k (B, Tk, A), w (A) and values (B, Tk, Dv)", {q, k, w, values});
}

}  // namespace

std::vector<int64_t> weight_rows(at::IntArrayRef weights, const std::vector<int64_t>& sentences) {
  const int64_t batch = weights[0], queries = weights[weights.size() - 2];
  const int64_t heads = weights.size() == 4 ? weights[1] : 1;
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(batch * heads * queries));
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t sentence = sentences.empty() ? b : sentences[static_cast<size_t>(b)];
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i)
        rows.push_back(static_cast<int64_t>(core::weight_row(
            static_cast<uint64_t>(sentence), static_cast<uint64_t>(h), static_cast<uint64_t>(i))));
  }
  return rows;
}

at::Tensor drop_weights(const at::Tensor& weights, const AttentionOptions& options) {
  if (!options.dropout.active()) return weights;
  const std::vector<int64_t> rows = weight_rows(weights.sizes(), options.rows);
  const at::Tensor by_row =
      weights.reshape({static_cast<int64_t>(rows.size()), weights.size(-1)});  // (B [H] Tq, Tk)
  return dropout(by_row, options.dropout, options.site, rows).view(weights.sizes());
}

AttentionResult attend_with_scores(const at::Tensor& scores, const at::Tensor& values,
                                   const Mask& mask, const AttentionOptions& options) {
  constexpr auto kOp = "attend_with_scores";
  check_floating(kOp, {scores, values});
  if (!leading_sizes_agree(scores, values) || scores.size(-1) != values.size(-2))
    refuse(kOp, "scores ([B, H or B], Tq, Tk) and values ([B, H or B], Tk, Dv)", {scores, values});
  check_rows(kOp, scores, options);
  return weigh(scores, values, mask.hidden_for(scores.sizes(), scores.device()), options);
}

AttentionResult attend_by(const ScoreFunction& score, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, const Mask& mask, const AttentionOptions& options) {
  constexpr auto kOp = "attend_by";
  check_floating(kOp, {q, k, v});
  if (!leading_sizes_agree(q, k) || !leading_sizes_agree(q, v) || k.size(-2) != v.size(-2))
    refuse(kOp, "q (B, [H,] Tq, Dq), k (B, [H,] Tk, Dk) and v (B, [H,] Tk, Dv)", {q, k, v});
  check_rows(kOp, q, options);
  std::vector<int64_t> sizes = q.sizes().vec();
  sizes.back() = k.size(-2);  // (B, [H,] Tq, Tk)
  const at::Tensor hidden = mask.hidden_for(sizes, q.device());
  const FiniteRows queries = hidden.defined() ? finite_rows(q) : FiniteRows{q, {}};
  const FiniteRows keys = hidden.defined() ? finite_rows(k) : FiniteRows{k, {}};
  const at::Tensor scores = score(queries.value, keys.value);
  if (!scores.defined() || scores.sizes() != at::IntArrayRef(sizes))
    refuse(kOp, "a score function that gives " + core::shape_text(sizes), {scores});
  return weigh(scores, v, hidden, options, spoiled_queries(queries.bad, keys.bad, hidden));
}

AttentionResult scaled_dot_product_attention(const at::Tensor& q, const at::Tensor& k,
                                             const at::Tensor& v, const Mask& mask,
                                             const AttentionOptions& options) {
  check_scaled_dot_product(q, k, v);
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))));
  const auto score = [scale](const at::Tensor& queries, const at::Tensor& keys) {
    return batched_product(queries.mul(scale), keys.transpose(-2, -1));  // (B, H, Tq, Tk)
  };
  return attend_by(score, q, k, v, mask, options);
}

AttentionResult additive_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w,
                                   const at::Tensor& values, const Mask& mask,
                                   const AttentionOptions& options) {
  check_additive(q, k, w, values);
  const auto score = [&w](const at::Tensor& queries, const at::Tensor& keys) {
    return additive_scores(queries, keys, w);  // (B, Tq, Tk)
  };
  return attend_by(score, q, k, values, mask, options);
}

}  // namespace attend::ops
