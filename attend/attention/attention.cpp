#include "attend/attention/attention.h"

#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {
namespace {

bool is_sequence(const at::Tensor& x, int64_t width) {
  return x.defined() && (x.dim() == 3 || x.dim() == 4) && (width == 0 || x.size(-1) == width);
}

std::string sequence(const char* letters, int64_t width, const char* any) {
  return std::string(letters) + (width == 0 ? any : std::to_string(width)) + ")";
}

ops::AttentionResult pool(const Score& score, const at::Tensor& queries,
                          const at::Tensor& projected_keys, const at::Tensor& values,
                          const Mask& mask, const ops::AttentionOptions& options) {
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
