#include "attend/ops/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/random.h"
#include "attend/core/shape.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/attention_heads.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "attend/ops/library_attention.h"
#include "attend/ops/mask_form.h"
#include "attend/ops/non_finite.h"
#include "attend/ops/normalise.h"

namespace attend::ops {
namespace {

void check_dropout(const char* op, const at::Tensor& q, const AttentionOptions& options) {
  check_probability(options.dropout.probability);
  if (!options.rows.empty() && static_cast<int64_t>(options.rows.size()) != q.size(0))
    refuse(op, "as many row numbers as sentences (" + std::to_string(options.rows.size()) + ")",
           {q});
}

void check_biases(at::IntArrayRef scores, const AttentionOptions& options) {
  const at::Tensor &bias = options.bias, &distance = options.distance_bias;
  if (bias.defined() && !broadcasts_to(bias, scores))
    refuse("attention", "a bias that can be repeated to the scores, " + core::shape_text(scores),
           {bias});
  if (!distance.defined()) return;
  const size_t n = scores.size();
  const int64_t heads = n == 4 ? scores[1] : 1;
  const int64_t distances = std::max<int64_t>(scores[n - 2] + scores[n - 1] - 1, 0);
  if (distance.dim() != 2 || distance.size(1) != distances ||
      (distance.size(0) != 1 && distance.size(0) != heads))
    refuse("attention",
           "a bias by distance of (H or 1, Tq + Tk - 1) for scores of " + core::shape_text(scores),
           {distance});
}

at::Tensor biased(const at::Tensor& scores, const AttentionOptions& options) {
  check_biases(scores.sizes(), options);
  at::Tensor sum = scores;
  for (const at::Tensor& bias : {options.bias, options.distance_bias})
    if (bias.defined()) check_floating("attention", {scores, bias});
  if (options.bias.defined()) sum = sum + options.bias;
  if (options.distance_bias.defined())
    sum = sum + bias_of_pairs(options.distance_bias, scores.size(-2), scores.size(-1));
  return sum;
}

// Normalise and pool; what all mechanisms share. `hidden` may be undefined; `spoiled` are the
// queries whose scores are not to be trusted, or undefined.
AttentionResult weigh(const at::Tensor& scores, const at::Tensor& values, const at::Tensor& hidden,
                      const AttentionOptions& options, const at::Tensor& spoiled = {}) {
  const FiniteRows v = hidden.defined() ? finite_rows(values) : FiniteRows{values, {}};
  const at::Tensor weights = normalise(biased(scores, options), hidden, options.normaliser);
  const at::Tensor pooled =
      batched_product(drop_weights(weights, options), v.value);  // (..., Tq, Dv)
  return {spoil(spoil(pooled, spoiled), spoiled_queries({}, v.bad, hidden)),
          options.return_weights ? spoil(weights, spoiled) : at::Tensor()};
}

void check_scaled_dot_product(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  constexpr auto kOp = "scaled_dot_product_attention";
  check_floating(kOp, {q, k, v});
  const bool fits = q.dim() == 4 && k.dim() == 4 && v.dim() == 4 && q.size(0) == k.size(0) &&
                    q.size(0) == v.size(0) && k.size(1) == v.size(1) && q.size(3) == k.size(3) &&
                    k.size(2) == v.size(2) && q.size(3) > 0 &&
                    (q.size(1) == k.size(1) || (k.size(1) > 0 && q.size(1) % k.size(1) == 0));
  if (!fits)
    refuse(kOp,
           "q (B, H, Tq, Dh), k (B, H, Tk, Dh) and v (B, H, Tk, Dv), or a divisor of H in both",
           {q, k, v});
}

double scale_of(const at::Tensor& q, const AttentionOptions& options) {
  return options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))));
}

// (.., 1 or Tq, 1 or Tk) of up to four dimensions -> (B or 1, H or 1, Tq, Tk)
at::Tensor as_heads(const at::Tensor& bias, int64_t queries, int64_t keys) {
  if (!bias.defined()) return bias;
  at::Tensor x = bias;
  while (x.dim() < 4) x = x.unsqueeze(0);
  return x.expand({x.size(0), x.size(1), queries, keys});
}

// Zeros for the weights when kernels are to fill them in, whose weights have no gradient.
at::Tensor room_for_weights(const detail::HeadTensors& x, const AttentionOptions& options) {
  const bool graph =
      c10::GradMode::is_enabled() && (x.query.requires_grad() || x.key.requires_grad() ||
                                      (x.bias.defined() && x.bias.requires_grad()) ||
                                      (x.distance.defined() && x.distance.requires_grad()));
  if (!options.return_weights || graph) return {};
  return at::zeros({x.query.size(0), x.query.size(1), x.query.size(2), x.key.size(2)},
                   x.query.options().requires_grad(false));
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

// `composed` gives weights that have a gradient.
template <class Composed>
AttentionResult on_kernels(const detail::HeadTensors& x, const Mask& mask,
                           const AttentionOptions& options, const Composed& composed) {
  const at::Tensor &q = x.query, weights = room_for_weights(x, options);
  Mask::Limits limits = mask.limits(q.size(0), q.size(1), q.size(2), x.key.size(2), q.device());
  std::vector<std::vector<int32_t>> seen;
  if (limits.hidden.defined()) {
    detail::HiddenForm form = detail::form_of(limits.hidden, q.size(0));
    limits.hidden = form.hidden;
    seen = std::move(form.seen);
    if (form.lengths.defined())
      limits.lengths =
          limits.lengths.defined() ? at::minimum(limits.lengths, form.lengths) : form.lengths;
  }
  AttentionResult result{detail::attend_heads(x,
                                              {.heads = q.size(1),
                                               .key_heads = x.key.size(1),
                                               .scale = scale_of(q, options),
                                               .limits = limits,
                                               .seen = std::move(seen),
                                               .dropout = options.dropout,
                                               .site = options.site,
                                               .sentences = options.rows},
                                              weights),
                         weights};
  if (options.return_weights && !weights.defined()) result.weights = composed().weights;
  return result;
}

}  // namespace

at::Tensor bias_of_pairs(const at::Tensor& by_distance, int64_t queries, int64_t keys) {
  if (queries == 0 || keys == 0) return by_distance.new_zeros({by_distance.size(0), queries, keys});
  return by_distance.unfold(1, keys, 1).flip(1);  // window n is that of query Tq - 1 - n
}

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
  check_dropout(kOp, scores, options);
  return weigh(scores, values, mask.hidden_for(scores.sizes(), scores.device()), options);
}

AttentionResult attend_by(const ScoreFunction& score, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, const Mask& mask, const AttentionOptions& options) {
  constexpr auto kOp = "attend_by";
  check_floating(kOp, {q, k, v});
  if (!leading_sizes_agree(q, k) || !leading_sizes_agree(q, v) || k.size(-2) != v.size(-2))
    refuse(kOp, "q (B, [H,] Tq, Dq), k (B, [H,] Tk, Dk) and v (B, [H,] Tk, Dv)", {q, k, v});
  check_dropout(kOp, q, options);
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
  check_dropout("scaled_dot_product_attention", q, options);
  const int64_t batch = q.size(0), heads = q.size(1), queries = q.size(2), keys = k.size(2);
  check_biases({batch, heads, queries, keys}, options);
  const at::Tensor bias = as_heads(options.bias, queries, keys);
  detail::HeadTensors x{q, k, v, bias, options.distance_bias};
  const auto composed = [&] {
    return scaled_dot_product_attention_composed(q, k, v, mask, options);
  };
  const double scale = scale_of(q, options);
  if (detail::library_declined(x, scale, options).empty())
    return {detail::library_attention(x, mask, scale), {}};
  if (options.normaliser != Normaliser::kSoftmax || heads == 0 ||
      !detail::heads_declined(x).empty())
    return composed();
  if (detail::heads_finite(x)) return on_kernels(x, mask, options, composed);
  // As attend_by(): rows that are not finite are zero, and queries that see them NaN in the end.
  const at::Tensor hidden = mask.hidden(batch, heads, queries, keys, q.device());
  if (!hidden.defined() || !detail::heads_finite({{}, {}, {}, bias, options.distance_bias}))
    return composed();
  const FiniteRows own = finite_rows(q), of_keys = finite_rows(for_each_head(k, heads)),
                   of_values = finite_rows(for_each_head(v, heads));
  x.query = own.value, x.key = of_keys.value, x.value = of_values.value;
  const AttentionResult clean = on_kernels(x, mask, options, composed);
  const at::Tensor spoiled = spoiled_queries(own.bad, of_keys.bad, hidden);
  return {spoil(spoil(clean.output, spoiled), spoiled_queries({}, of_values.bad, hidden)),
          clean.weights.defined() ? spoil(clean.weights, spoiled) : at::Tensor()};
}

AttentionResult scaled_dot_product_attention_composed(const at::Tensor& q, const at::Tensor& k,
                                                      const at::Tensor& v, const Mask& mask,
                                                      const AttentionOptions& options) {
  check_scaled_dot_product(q, k, v);
  const auto score = [scale = scale_of(q, options)](const at::Tensor& queries,
                                                    const at::Tensor& keys) {
    return batched_product(queries.mul(scale), keys.transpose(-2, -1));  // (B, H, Tq, Tk)
  };
  return attend_by(score, q, for_each_head(k, q.size(1)), for_each_head(v, q.size(1)), mask,
                   options);
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
