#include "attend/attention/score.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <cmath>
#include <string>

#include "attend/core/errors.h"
#include "attend/ops/additive_scores.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "attend/ops/non_finite.h"
#include "attend/ops/squared_distances.h"

namespace attend {
namespace {

ScoreOptions completed(const char* score, ScoreOptions options) {
  if (options.key_size == 0) options.key_size = options.query_size;
  if (options.hidden == 0) options.hidden = options.query_size;
  if (options.heads < 1 || options.query_size < 0 || options.key_size < 0 || options.hidden < 0)
    throw InvalidArgument(
        std::string("[") + score +
        "] expected sizes of at least 0 and at least one head, found query_size " +
        std::to_string(options.query_size) + ", key_size " + std::to_string(options.key_size) +
        ", hidden " + std::to_string(options.hidden) + " and " + std::to_string(options.heads) +
        " heads");
  return options;
}

// The options of a score that has matrices.
ScoreOptions sized(const char* score, const ScoreOptions& options) {
  const ScoreOptions all = completed(score, options);
  if (all.query_size == 0)
    throw InvalidArgument(std::string("[") + score + "] expected a query_size, found 0");
  return all;
}

// The options of a score that compares queries and keys as they are.
ScoreOptions of_one_size(const char* score, const ScoreOptions& options) {
  const ScoreOptions all = completed(score, options);
  if (all.query_size != all.key_size)
    throw InvalidArgument(
        std::string("[") + score + "] expected queries and keys of one size, found query_size " +
        std::to_string(all.query_size) + " and key_size " + std::to_string(all.key_size));
  return all;
}

void check_one_width(const char* score, const at::Tensor& queries, const at::Tensor& keys) {
  ops::check_floating(score, {queries, keys});
  const bool fits = ops::leading_sizes_agree(queries, keys) && queries.size(-1) == keys.size(-1) &&
                    queries.size(-1) > 0;
  if (!fits)
    ops::refuse(score, "queries (B, [H,] Tq, D) and keys (B, [H,] Tk, D)", {queries, keys});
}

at::Tensor dot(const char* score, const at::Tensor& queries, const at::Tensor& keys) {
  check_one_width(score, queries, keys);
  return ops::batched_product(queries, keys.transpose(-2, -1));  // (B, [H,] Tq, Tk)
}

// x (B, [H,] T, D) times one number a head.
at::Tensor scaled_by_head(const char* score, const at::Tensor& x, const at::Tensor& factor) {
  const int64_t heads = factor.size(0);
  if (!x.defined() || (heads == 1 ? x.dim() < 3 : x.dim() != 4 || x.size(1) != heads))
    ops::refuse(score, heads == 1 ? "(B, [H,] T, D)" : "(B, " + std::to_string(heads) + ", T, D)",
                {x});
  return x * (heads == 1 ? factor : factor.view({heads, 1, 1}));
}

// x / |x|; a vector shorter than any that matters stays near 0.
at::Tensor to_unit_length(const at::Tensor& x) {
  const double least = x.scalar_type() == at::kHalf ? 6.2e-5 : 1e-8;
  return x / at::linalg_vector_norm(x, 2, at::IntArrayRef{-1}, /*keepdim=*/true).clamp_min(least);
}

}  // namespace

at::Tensor Score::factor(const at::Tensor&) const { return {}; }

HeadLinear::HeadLinear(const ParameterScope& scope, int64_t inputs, int64_t outputs,
                       const ScoreOptions& options)
    : heads_(options.heads),
      outputs_(outputs),
      linear_(scope, {.inputs = inputs,
                      .outputs = options.heads * outputs,
                      .bias = false,
                      .init = options.init}) {}

at::Tensor HeadLinear::operator()(const at::Tensor& x) const {
  if (heads_ == 1) return linear_(x);
  const int64_t inputs = linear_.inputs();
  if (!x.defined() || x.dim() != 4 || x.size(1) != heads_ || x.size(3) != inputs)
    ops::refuse("score", "(B, " + std::to_string(heads_) + ", T, " + std::to_string(inputs) + ")",
                {x});
  const int64_t batch = x.size(0), length = x.size(2);
  const at::Tensor by_head = x.transpose(0, 1).reshape({heads_, batch * length, inputs});
  const at::Tensor weight = linear_.weight().view({heads_, outputs_, inputs});
  return at::bmm(by_head, weight.transpose(1, 2))  // (H, B T, outputs)
      .view({heads_, batch, length, outputs_})
      .transpose(0, 1);  // (B, H, T, outputs)
}

AdditiveScore::AdditiveScore(const ParameterScope& scope, const ScoreOptions& options)
    : query_(scope.scope("query"), sized("additive_score", options).query_size,
             sized("additive_score", options).hidden, options),
      key_(scope.scope("key"), sized("additive_score", options).key_size,
           sized("additive_score", options).hidden, options),
      score_(scope.scope("score").add(
          "weight", {options.heads, sized("additive_score", options).hidden}, options.init)) {}

at::Tensor AdditiveScore::project_keys(const at::Tensor& keys) const {
  return ops::map_rows(keys, key_);
}

at::Tensor AdditiveScore::scores(const at::Tensor& queries,
                                 const at::Tensor& projected_keys) const {
  const at::Tensor w = score_->size(0) == 1 ? score_->view({score_->size(1)}) : *score_;
  return ops::additive_scores(query_(queries), projected_keys, w);
}

DotScore::DotScore(const ParameterScope&, const ScoreOptions& options) {
  of_one_size("dot_score", options);
}

at::Tensor DotScore::scores(const at::Tensor& queries, const at::Tensor& projected_keys) const {
  return dot("dot_score", queries, projected_keys);
}

at::Tensor DotScore::factor(const at::Tensor& queries) const { return queries; }

ScaledDotScore::ScaledDotScore(const ParameterScope&, const ScoreOptions& options) {
  of_one_size("scaled_dot_score", options);
}

at::Tensor ScaledDotScore::scores(const at::Tensor& queries,
                                  const at::Tensor& projected_keys) const {
  check_one_width("scaled_dot_score", queries, projected_keys);
  return dot("scaled_dot_score", factor(queries), projected_keys);
}

at::Tensor ScaledDotScore::factor(const at::Tensor& queries) const {
  return queries * (1.0 / std::sqrt(static_cast<double>(queries.size(-1))));
}

BilinearScore::BilinearScore(const ParameterScope& scope, const ScoreOptions& options)
    : key_(scope.scope("key"), sized("bilinear_score", options).key_size,
           sized("bilinear_score", options).query_size, options) {}

at::Tensor BilinearScore::project_keys(const at::Tensor& keys) const {
  return ops::map_rows(keys, key_);
}

at::Tensor BilinearScore::scores(const at::Tensor& queries,
                                 const at::Tensor& projected_keys) const {
  return dot("bilinear_score", queries, projected_keys);
}

at::Tensor BilinearScore::factor(const at::Tensor& queries) const { return queries; }

CosineScore::CosineScore(const ParameterScope& scope, const ScoreOptions& options)
    : scale_(scope.add("scale", {of_one_size("cosine_score", options).heads}, Init::kOnes)) {}

at::Tensor CosineScore::project_keys(const at::Tensor& keys) const {
  ops::check_floating("cosine_score", {keys});
  return ops::map_rows(keys, to_unit_length);
}

at::Tensor CosineScore::scores(const at::Tensor& queries, const at::Tensor& projected_keys) const {
  check_one_width("cosine_score", queries, projected_keys);
  return dot("cosine_score", factor(queries), projected_keys);
}

at::Tensor CosineScore::factor(const at::Tensor& queries) const {
  return scaled_by_head("cosine_score", to_unit_length(queries), *scale_);
}

GaussianScore::GaussianScore(const ParameterScope& scope, const ScoreOptions& options)
    : width_(scope.add("width", {of_one_size("gaussian_score", options).heads}, Init::kOnes)) {}

at::Tensor GaussianScore::project_keys(const at::Tensor& keys) const {
  const auto widened = [this](const at::Tensor& x) {
    return scaled_by_head("gaussian_score", x, *width_);
  };
  return ops::map_rows(keys, widened);
}

at::Tensor GaussianScore::scores(const at::Tensor& queries,
                                 const at::Tensor& projected_keys) const {
  check_one_width("gaussian_score", queries, projected_keys);
  const at::Tensor wide = scaled_by_head("gaussian_score", queries, *width_);
  return ops::squared_distances(wide, projected_keys) * -0.5;  // (B, [H,] Tq, Tk)
}

std::unique_ptr<const Score> make_score(ScoreKind kind, const ParameterScope& scope,
                                        const ScoreOptions& options) {
  switch (kind) {
    case ScoreKind::kAdditive:
      return std::make_unique<AdditiveScore>(scope, options);
    case ScoreKind::kDot:
      return std::make_unique<DotScore>(scope, options);
    case ScoreKind::kScaledDot:
      return std::make_unique<ScaledDotScore>(scope, options);
    case ScoreKind::kBilinear:
      return std::make_unique<BilinearScore>(scope, options);
    case ScoreKind::kCosine:
      return std::make_unique<CosineScore>(scope, options);
    case ScoreKind::kGaussian:
      return std::make_unique<GaussianScore>(scope, options);
  }
  throw InternalError("[score] an unknown kind");
}

}  // namespace attend
