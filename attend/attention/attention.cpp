#include "attend/attention/attention.h"

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "attend/ops/non_finite.h"

namespace attend {
namespace {

bool is_sequence(const at::Tensor& x, int64_t width) {
  return x.defined() && (x.dim() == 3 || x.dim() == 4) && (width == 0 || x.size(-1) == width);
}

std::string sequence(const char* letters, int64_t width, const char* any) {
  return std::string(letters) + (width == 0 ? any : std::to_string(width)) + ")";
}

// With one head: (B, T, D) -> (B, 1, T, D).
at::Tensor with_head(const at::Tensor& x) {
  return x.defined() && x.dim() == 3 ? x.unsqueeze(1) : x;
}

// Where scores are a product of queries and keys, the op that need not keep them.
ops::AttentionResult pool_products(const at::Tensor& queries, const at::Tensor& keys,
                                   const at::Tensor& values, const Mask& mask,
                                   const ops::AttentionOptions& options) {
  ops::AttentionOptions own = options;
  own.scale = 1.0;
  if (queries.dim() == 4)
    return ops::scaled_dot_product_attention(queries, keys, values, mask, own);
  own.bias = with_head(options.bias);
  const ops::AttentionResult found = ops::scaled_dot_product_attention(
      with_head(queries), with_head(keys), with_head(values), mask, own);
  return {found.output.squeeze(1),
          found.weights.defined() ? found.weights.squeeze(1) : at::Tensor()};
}

bool are_pairs(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values) {
  return ops::leading_sizes_agree(queries, keys) && ops::leading_sizes_agree(queries, values) &&
         queries.size(-1) == keys.size(-1) && queries.size(-1) > 0 &&
         keys.size(-2) == values.size(-2);
}

ops::AttentionResult pool(const Score& score, const at::Tensor& queries,
                          const at::Tensor& projected_keys, const at::Tensor& values,
                          const Mask& mask, const ops::AttentionOptions& options) {
  ops::check_floating("attention", {queries, projected_keys, values});
  if (options.normaliser == Normaliser::kSoftmax && are_pairs(queries, projected_keys, values)) {
    // A row that is not finite spoils no gradient of the score's parameters.
    const ops::FiniteRows rows = ops::finite_rows(queries);
    const at::Tensor factor = score.factor(rows.value);
    if (factor.defined())
      return pool_products(ops::spoil(factor, rows.bad), projected_keys, values, mask, options);
  }
  const auto scores = [&score](const at::Tensor& q, const at::Tensor& k) {
    return score.scores(q, k);
  };
  return ops::attend_by(scores, queries, projected_keys, values, mask, options);
}

}  // namespace

ops::AttentionResult attend_by(const Score& score, const at::Tensor& queries,
                               const at::Tensor& keys, const at::Tensor& values, const Mask& mask,
                               const ops::AttentionOptions& options) {
  return pool(score, queries, score.project_keys(keys), values, mask, options);
}

Attention::Attention(std::shared_ptr<const Score> score, const Options& options)
    : score_(std::move(score)),
      query_size_(options.query_size),
      key_size_(options.key_size == 0 ? options.query_size : options.key_size) {
  if (!score_) throw InvalidArgument("[attention] expected a score, found none");
}

at::Tensor Attention::project_keys(const at::Tensor& keys) const {
  if (!is_sequence(keys, key_size_))
    ops::refuse("attention", sequence("keys (B, [H,] Tk, ", key_size_, "Dk"), {keys});
  return score_->project_keys(keys);
}

ops::AttentionResult Attention::forward(const at::Tensor& queries, const at::Tensor& keys,
                                        const at::Tensor& values, const Mask& mask,
                                        const ops::AttentionOptions& options) const {
  if (!is_sequence(queries, query_size_) || !is_sequence(keys, key_size_))
    ops::refuse("attention",
                sequence("queries (B, [H,] Tq, ", query_size_, "Dq") + " and " +
                    sequence("keys (B, [H,] Tk, ", key_size_, "Dk"),
                {queries, keys});
  return forward_projected(queries, project_keys(keys), values, mask, options);
}

ops::AttentionResult Attention::forward_projected(const at::Tensor& queries,
                                                  const at::Tensor& projected_keys,
                                                  const at::Tensor& values, const Mask& mask,
                                                  const ops::AttentionOptions& options) const {
  if (!is_sequence(queries, query_size_))
    ops::refuse("attention", sequence("queries (B, [H,] Tq, ", query_size_, "Dq"), {queries});
  return pool(*score_, queries, projected_keys, values, mask, options);
}

}  // namespace attend
