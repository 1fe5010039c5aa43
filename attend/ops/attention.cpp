#include "attend/ops/attention.h"

#include <ATen/ops/bmm.h>

#include <cmath>
#include <utility>

#include "attend/core/random.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/check.h"
#include "attend/ops/masked_softmax.h"
#include "attend/ops/non_finite.h"

namespace attend::ops {
namespace {

// The mask for scores (B, Tq, Tk) or (B, H, Tq, Tk), of as many dimensions; undefined when nothing
// is hidden.
at::Tensor hidden_for(const Mask& mask, at::IntArrayRef scores, at::Device device) {
  const bool heads = scores.size() == 4;
  const int64_t n = static_cast<int64_t>(scores.size());
  const at::Tensor hidden =
      mask.hidden(scores[0], heads ? scores[1] : 1, scores[n - 2], scores[n - 1], device);
  return heads || !hidden.defined() ? hidden : hidden.squeeze(1);
}

// (..., T, D) -> (N, T, D), so that a product is one node.
at::Tensor flat(const at::Tensor& x) {
  return x.dim() == 3 ? x : x.reshape({x.size(0) * x.size(1), x.size(2), x.size(3)});
}

// a (..., M, K) times b (..., K, N); the leading dimensions agree.
at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor c = at::bmm(flat(a), flat(b));
  return a.dim() == 3 ? c : c.view({a.size(0), a.size(1), a.size(2), b.size(3)});
}

// Each row of weights is numbered by its sentence, head and query: the draw for a pair of words
// hangs neither on the padding nor on the neighbours.
at::Tensor drop_weights(const at::Tensor& weights, const AttentionOptions& options) {
  if (!options.dropout.active()) return weights;
  const int64_t batch = weights.size(0), queries = weights.size(-2);
  const int64_t heads = weights.dim() == 4 ? weights.size(1) : 1;
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(batch * heads * queries));
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t sentence = options.rows.empty() ? b : options.rows[static_cast<size_t>(b)];
    for (int64_t h = 0; h < heads; ++h) {
      const uint64_t head =
          core::combine(static_cast<uint64_t>(sentence), static_cast<uint64_t>(h));
      for (int64_t i = 0; i < queries; ++i)
        rows.push_back(static_cast<int64_t>(core::combine(head, static_cast<uint64_t>(i))));
    }
  }
  const at::Tensor by_row = weights.reshape({batch * heads * queries, weights.size(-1)});
  return dropout(by_row, options.dropout, options.site, rows).view(weights.sizes());
}

void check_rows(const char* op, const at::Tensor& q, const AttentionOptions& options) {
  if (!options.rows.empty() && static_cast<int64_t>(options.rows.size()) != q.size(0))
    refuse(op, "as many row numbers as sentences (" + std::to_string(options.rows.size()) + ")",
           {q});
}

// Normalise and pool; what all mechanisms share. `hidden` may be undefined; `spoiled` are the
// queries whose scores are not to be trusted, or undefined.
AttentionResult weigh(const at::Tensor& scores, const at::Tensor& values, const at::Tensor& hidden,
                      const AttentionOptions& options, const at::Tensor& spoiled = {}) {
  const FiniteRows v = hidden.defined() ? finite_rows(values) : FiniteRows{values, {}};
  const at::Tensor weights = masked_softmax(scores, hidden);
  const at::Tensor pooled = product(drop_weights(weights, options), v.value);  // (..., Tq, Dv)
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

AttentionResult attend_with_scores(const at::Tensor& scores, const at::Tensor& values,
                                   const Mask& mask, const AttentionOptions& options) {
  constexpr auto kOp = "attend_with_scores";
  check_floating(kOp, {scores, values});
  const int64_t n = scores.dim();
  const bool fits = (n == 3 || n == 4) && values.dim() == n && scores.size(0) == values.size(0) &&
                    scores.size(-1) == values.size(-2) &&
                    (n == 3 || scores.size(1) == values.size(1));
  if (!fits)
    refuse(kOp, "scores ([B, H or B], Tq, Tk) and values ([B, H or B], Tk, Dv)", {scores, values});
  check_rows(kOp, scores, options);
  return weigh(scores, values, hidden_for(mask, scores.sizes(), scores.device()), options);
}

AttentionResult scaled_dot_product_attention(const at::Tensor& q, const at::Tensor& k,
                                             const at::Tensor& v, const Mask& mask,
                                             const AttentionOptions& options) {
  check_scaled_dot_product(q, k, v);
  check_rows("scaled_dot_product_attention", q, options);
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))));
  const at::Tensor hidden =
      hidden_for(mask, {q.size(0), q.size(1), q.size(2), k.size(2)}, q.device());
  if (!hidden.defined())
    return weigh(product(q.mul(scale), k.transpose(-2, -1)), v, hidden, options);
  const FiniteRows queries = finite_rows(q), keys = finite_rows(k);
  const at::Tensor scores =
      product(queries.value.mul(scale), keys.value.transpose(-2, -1));  // (B, H, Tq, Tk)
  return weigh(scores, v, hidden, options, spoiled_queries(queries.bad, keys.bad, hidden));
}

AttentionResult additive_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w,
                                   const at::Tensor& values, const Mask& mask,
                                   const AttentionOptions& options) {
  check_additive(q, k, w, values);
  check_rows("additive_attention", q, options);
  const at::Tensor hidden = hidden_for(mask, {q.size(0), q.size(1), k.size(1)}, q.device());
  if (!hidden.defined()) return weigh(additive_scores(q, k, w), values, hidden, options);
  const FiniteRows queries = finite_rows(q), keys = finite_rows(k);
  const at::Tensor scores = additive_scores(queries.value, keys.value, w);  // (B, Tq, Tk)
  return weigh(scores, values, hidden, options, spoiled_queries(queries.bad, keys.bad, hidden));
}

}  // namespace attend::ops
