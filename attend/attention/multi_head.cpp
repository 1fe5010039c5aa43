#include "attend/attention/multi_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <string>

#include "attend/attention/alibi.h"
#include "attend/core/errors.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "attend/ops/non_finite.h"

namespace attend {
namespace {

using Options = MultiHeadAttention::Options;

bool is_dot(ScoreKind kind) { return kind == ScoreKind::kDot || kind == ScoreKind::kScaledDot; }

void require_divides(const char* divisor, int64_t a, const char* whole, int64_t b) {
  if (a < 1 || b % a != 0)
    throw InvalidArgument("[multi_head_attention] expected " + std::string(divisor) +
                          " that divide " + whole + ", found " + std::to_string(a) + " " + divisor +
                          " and " + whole + " " + std::to_string(b));
}

bool in_scores(PositionKind kind) {
  return kind == PositionKind::kRotary || kind == PositionKind::kAlibi ||
         kind == PositionKind::kRelative || kind == PositionKind::kT5;
}

void check_choices(const Options& options) {
  if (options.window < 0)
    throw InvalidArgument("[multi_head_attention] expected a window of at least 0, found " +
                          std::to_string(options.window));
  if (options.linear &&
      (options.score != ScoreKind::kScaledDot || options.window > 0 ||
       options.normaliser != Normaliser::kSoftmax || in_scores(options.positions)))
    throw InvalidArgument(
        "[multi_head_attention] expected linear attention without a score, a normaliser, a window "
        "and positions of its own: it has no scores that they could act on");
  if (options.positions == PositionKind::kRelative && !is_dot(options.score))
    throw InvalidArgument(
        "[multi_head_attention] expected a dot product or a scaled one where positions are "
        "relative: their vectors are added to the keys of that product");
}

Options completed(Options options) {
  if (options.key_size == 0) options.key_size = options.query_size;
  if (options.value_size == 0) options.value_size = options.key_size;
  if (options.hidden == 0) options.hidden = options.query_size;
  require_divides("heads", options.heads, "hidden", options.hidden);
  if (options.key_value_heads == 0) options.key_value_heads = options.heads;
  require_divides("key_value_heads", options.key_value_heads, "heads", options.heads);
  check_choices(options);
  if (options.positions == PositionKind::kRotary && options.hidden / options.heads < 2)
    throw InvalidArgument(
        "[multi_head_attention] positions that are rotary need heads of at least 2 features, found "
        "hidden " +
        std::to_string(options.hidden) + " in " + std::to_string(options.heads) +
        " heads: it turns pairs of features");
  return options;
}

void check_sequence(const at::Tensor& x, const char* expected, int64_t size) {
  if (!x.defined() || x.dim() != 3 || x.size(2) != size)
    ops::refuse("multi_head_attention", expected + std::to_string(size) + ")", {x});
}

// Rows that are not finite spoil no gradient of the map; where none is wanted, as in decoding, they
// need no search: they come out as they are, not finite.
at::Tensor projected(const at::Tensor& x, const Linear& map) {
  return c10::GradMode::is_enabled() ? ops::map_rows(x, map) : map(x);
}

at::Tensor appended(const at::Tensor& before, const at::Tensor& more) {
  return before.defined() ? at::cat({before, more}, 2) : more;
}

}  // namespace

void KeyValueCache::reorder(const at::Tensor& rows) {
  for (at::Tensor* part : {&keys, &values, &linear.sums, &linear.normaliser, &linear.features})
    if (part->defined()) *part = part->index_select(0, rows);
}

MultiHeadAttention::MultiHeadAttention(const ParameterScope& scope, const Options& options)
    : options_(completed(options)) {
  const auto linear = [&](const char* name, int64_t inputs, int64_t outputs) {
    return Linear(
        scope.scope(name),
        {.inputs = inputs, .outputs = outputs, .bias = options.bias, .init = options.init});
  };
  const int64_t shared = options_.key_value_heads * width();
  query_ = linear("query", options_.query_size, options_.hidden);
  key_ = linear("key", options_.key_size, shared);
  value_ = linear("value", options_.value_size, shared);
  output_ = linear("output", options_.hidden, options_.hidden);
  if (!is_dot(options_.score))
    score_ = make_score(options_.score, scope.scope("score"),
                        {.query_size = width(), .heads = options_.heads, .init = options_.init});
  if (options_.positions == PositionKind::kRelative)
    relative_ = RelativePositions(scope.scope("relative"), {.width = width(),
                                                            .max_distance = options_.max_distance,
                                                            .values = options_.relative_values});
  if (options_.positions == PositionKind::kT5)
    t5_ = T5Bias(scope.scope("t5"), options_.heads, options_.t5);
}

bool MultiHeadAttention::plain() const {
  return options_.score == ScoreKind::kScaledDot && options_.normaliser == Normaliser::kSoftmax &&
         !options_.linear && options_.window == 0 && options_.key_value_heads == options_.heads &&
         !in_scores(options_.positions);
}

at::Tensor MultiHeadAttention::split(const at::Tensor& x, int64_t heads) const {
  return x.view({x.size(0), x.size(1), heads, width()}).transpose(1, 2);  // (B, heads, T, D / H)
}

at::Tensor MultiHeadAttention::turned(const at::Tensor& x, int64_t first) const {
  return options_.positions == PositionKind::kRotary ? rotary(x, first, options_.rotary) : x;
}

// (B, G, T, D / H) -> (B, H, T, D / H)
at::Tensor MultiHeadAttention::for_each_head(const at::Tensor& x) const {
  return ops::for_each_head(x, options_.heads);
}

KeyValueCache MultiHeadAttention::project(const at::Tensor& keys, const at::Tensor& values,
                                          int64_t first) const {
  check_sequence(keys, "keys (B, Tk, ", key_.inputs());
  check_sequence(values, "values (B, Tk, ", value_.inputs());
  at::Tensor k = turned(split(projected(keys, key_), options_.key_value_heads), first);
  if (score_) k = score_->project_keys(for_each_head(k));
  return {k, split(projected(values, value_), options_.key_value_heads), first, {}};
}

ops::AttentionResult MultiHeadAttention::forward(const at::Tensor& queries, const at::Tensor& keys,
                                                 const at::Tensor& values, const Mask& mask,
                                                 const ops::AttentionOptions& options) const {
  return forward_projected(queries, project(keys, values), mask, options);
}

ops::AttentionResult MultiHeadAttention::forward_projected(
    const at::Tensor& queries, const KeyValueCache& cache, const Mask& mask,
    const ops::AttentionOptions& options) const {
  check_sequence(queries, "queries (B, Tq, ", query_.inputs());
  const int64_t first = cache.first + cache.values.size(2) - queries.size(1);
  const at::Tensor q = turned(split(projected(queries, query_), options_.heads), first);
  return joined(pool(q, cache, mask, options));
}

ops::AttentionResult MultiHeadAttention::joined(const ops::AttentionResult& heads) const {
  const at::Tensor& x = heads.output;
  const at::Tensor joined = x.transpose(1, 2).reshape({x.size(0), x.size(2), options_.hidden});
  return {projected(joined, output_), heads.weights};  // (B, H, Tq, D / H) -> (B, Tq, D)
}

// Adds what the positions have to say to the options.
void MultiHeadAttention::add_positions(const at::Tensor& q, int64_t keys,
                                       ops::AttentionOptions& options) const {
  const bool alibi = options_.positions == PositionKind::kAlibi;
  if (!alibi && options_.positions != PositionKind::kT5) return;
  const at::Tensor own = alibi ? alibi_distances(options_.heads, q.size(2), keys, q.options())
                               : t5_.by_distance(q.size(2), keys);  // (H, Tq + Tk - 1)
  options.distance_bias = options.distance_bias.defined() ? options.distance_bias + own : own;
}

ops::AttentionResult MultiHeadAttention::pool(const at::Tensor& q, const KeyValueCache& cache,
                                              const Mask& mask,
                                              const ops::AttentionOptions& options) const {
  if (options_.linear)
    return linear_attention(q, for_each_head(cache.keys), for_each_head(cache.values), mask,
                            options.return_weights);

  const Mask seen = options_.window > 0 ? mask & Mask::window(options_.window) : mask;
  ops::AttentionOptions own = options;
  own.normaliser = options_.normaliser;
  if (options_.score == ScoreKind::kDot && !own.scale) own.scale = 1.0;
  add_positions(q, cache.values.size(2), own);
  if (!score_ && options_.positions != PositionKind::kRelative)
    return ops::scaled_dot_product_attention(q, cache.keys, cache.values, seen, own);
  const at::Tensor k = score_ ? cache.keys : for_each_head(cache.keys);
  const at::Tensor v = for_each_head(cache.values);
  if (options_.positions == PositionKind::kRelative) return pool_relative(q, k, v, seen, own);
  const auto score = [this](const at::Tensor& queries, const at::Tensor& keys) {
    return score_->scores(queries, keys);
  };
  return ops::attend_by(score, q, k, v, seen, own);
}

ops::AttentionResult MultiHeadAttention::pool_relative(const at::Tensor& q, const at::Tensor& k,
                                                       const at::Tensor& v, const Mask& mask,
                                                       const ops::AttentionOptions& options) const {
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(width())));
  const auto score = [&](const at::Tensor& queries, const at::Tensor& keys) {
    const at::Tensor scaled = queries * scale;
    return at::matmul(scaled, keys.transpose(-2, -1)) + relative_.scores(scaled, keys.size(2));
  };
  ops::AttentionOptions own = options;
  own.return_weights = own.return_weights || options_.relative_values;
  ops::AttentionResult seen = ops::attend_by(score, q, k, v, mask, own);
  if (options_.relative_values) {
    // The weights of a query that saw a bad key are NaN, as its output already is.
    const at::Tensor weights = ops::drop_weights(ops::finite_rows(seen.weights).value, options);
    seen.output = seen.output + relative_.pooled(weights);  // (B, H, Tq, D / H)
  }
  if (!options.return_weights) seen.weights = at::Tensor();
  return seen;
}

ops::AttentionResult MultiHeadAttention::step(const at::Tensor& x, KeyValueCache& cache,
                                              const ops::AttentionOptions& options) const {
  check_sequence(x, "queries (B, T, ", query_.inputs());
  if (cache.values.defined() && cache.values.size(0) != x.size(0))
    ops::refuse("multi_head_attention", "as many sentences as the cache (B, H, Tk, D / H) has",
                {x, cache.values});
  const int64_t before = cache.first + (cache.values.defined() ? cache.values.size(2) : 0);
  const KeyValueCache more = project(x, x, before);
  if (options_.linear)
    return joined(linear_attention_step(split(projected(x, query_), options_.heads),
                                        for_each_head(more.keys), for_each_head(more.values),
                                        cache.linear, options.return_weights));
  cache.keys = appended(cache.keys, more.keys);
  cache.values = appended(cache.values, more.values);
  ops::AttentionResult seen = forward_projected(x, cache, Mask::causal(), options);
  if (seen.weights.defined() && cache.first > 0)
    seen.weights = at::constant_pad_nd(seen.weights, {cache.first, 0});
  // The next query's window reaches back to window - 1 keys.
  const int64_t beyond = options_.window > 0 ? cache.values.size(2) - (options_.window - 1) : 0;
  if (beyond > 0) {
    cache.keys = cache.keys.narrow(2, beyond, cache.keys.size(2) - beyond);
    cache.values = cache.values.narrow(2, beyond, cache.values.size(2) - beyond);
    cache.first += beyond;
  }
  return seen;
}

}  // namespace attend
