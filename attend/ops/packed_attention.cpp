#include "attend/ops/packed_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>

#include <cmath>
#include <limits>

#include "attend/core/errors.h"
#include "attend/core/shape.h"

namespace attend::ops {
namespace {

void check(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
           const PackedLayout& queries, const PackedLayout& keys,
           const PackedAttentionOptions& options) {
  const bool fits = query.dim() == 2 && key.dim() == 2 && value.dim() == 2 &&
                    query.size(0) == queries.rows() && key.size(0) == keys.rows() &&
                    value.size(0) == keys.rows() && key.size(1) == query.size(1) &&
                    queries.size() == keys.size();
  if (!fits)
    throw InvalidArgument("[packed_attention] expected query (" + std::to_string(queries.rows()) +
                          ", D), key and value (" + std::to_string(keys.rows()) + ", D) for " +
                          std::to_string(queries.size()) + " sentences, found " +
                          core::shape_text(query.sizes()) + ", " + core::shape_text(key.sizes()) +
                          " and " + core::shape_text(value.sizes()));
  if (options.heads < 1 || query.size(1) % options.heads != 0 || value.size(1) % options.heads != 0)
    throw InvalidArgument("[packed_attention] expected heads that divide the width, found " +
                          std::to_string(options.heads) + " heads and width " +
                          std::to_string(query.size(1)));
  if (options.causal && queries.offsets != keys.offsets)
    throw InvalidArgument("[packed_attention] expected the same layout on both sides when causal");
}

// (N, D) -> (B, H, T, D / H)
at::Tensor split_heads(const at::Tensor& rows, const PackedLayout& layout, int64_t heads) {
  return pad(rows, layout)
      .view({layout.size(), layout.longest, heads, rows.size(1) / heads})
      .transpose(1, 2);
}

// Which keys each query may see, broadcastable to (B, H, Tq, Tk); undefined when all.
at::Tensor allowed_pairs(const PackedLayout& queries, const PackedLayout& keys, bool causal) {
  at::Tensor allowed;
  if (!keys.even) allowed = keys.real.view({keys.size(), 1, 1, keys.longest});
  if (causal && queries.longest > 1) {
    const at::Tensor triangle =
        at::ones({queries.longest, keys.longest}, keys.real.options()).tril_();  // (Tq, Tk)
    // Padding lies behind every real token, where a causal query does not look.
    allowed = triangle;
  }
  return allowed;
}

// Multiplier of dropout for weights (B, H, Tq, Tk): one counted row a (token, head), so that it
// does not depend on how the batch is cut or padded.
at::Tensor weight_multiplier(const PackedAttentionOptions& options, const PackedLayout& queries,
                             int64_t keys, const at::TensorOptions& tensor_options) {
  if (options.row_numbers == nullptr ||
      static_cast<int64_t>(options.row_numbers->size()) != queries.rows())
    throw InvalidArgument("[packed_attention] expected a row number for each of " +
                          std::to_string(queries.rows()) + " query rows");
  std::vector<int64_t> rows;
  rows.reserve(options.row_numbers->size() * static_cast<size_t>(options.heads));
  for (const int64_t row : *options.row_numbers)
    for (int64_t h = 0; h < options.heads; ++h) rows.push_back(row * options.heads + h);
  const at::Tensor packed = dropout_mask(options.dropout, options.site, rows, keys, tensor_options)
                                .view({queries.rows(), options.heads * keys});
  return pad(packed, queries)
      .view({queries.size(), queries.longest, options.heads, keys})
      .transpose(1, 2);  // (B, H, Tq, Tk)
}

}  // namespace

at::Tensor attention_weights(const at::Tensor& scores, const at::Tensor& allowed,
                             bool may_have_dead_rows) {
  if (!allowed.defined()) return scores.softmax(-1);
  const at::Tensor weights =
      scores.masked_fill(allowed.logical_not(), -std::numeric_limits<double>::infinity())
          .softmax(-1);
  if (!may_have_dead_rows) return weights;
  return weights.masked_fill(allowed.any(-1, true).logical_not(), 0.0);
}

at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const PackedLayout& query_layout, const PackedLayout& key_layout,
                            const PackedAttentionOptions& options) {
  check(query, key, value, query_layout, key_layout, options);
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(1) / options.heads));
  const at::Tensor q = split_heads(query * scale, query_layout, options.heads);
  const at::Tensor k = split_heads(key, key_layout, options.heads);
  const at::Tensor v = split_heads(value, key_layout, options.heads);

  const at::Tensor scores = q.matmul(k.transpose(-2, -1));  // (B, H, Tq, Tk)
  bool empty_keys = false;
  for (int64_t b = 0; b < key_layout.size(); ++b)
    empty_keys = empty_keys || key_layout.offsets[static_cast<size_t>(b)] ==
                                   key_layout.offsets[static_cast<size_t>(b) + 1];
  at::Tensor weights = attention_weights(
      scores, allowed_pairs(query_layout, key_layout, options.causal), empty_keys);
  if (options.weights != nullptr)
    *options.weights = weights.detach() *
                       query_layout.real.view({query_layout.size(), 1, query_layout.longest, 1});
  if (options.dropout.active())
    weights = weights * weight_multiplier(options, query_layout, key_layout.longest,
                                          weights.options().requires_grad(false));

  const at::Tensor heads = weights.matmul(v).transpose(1, 2);  // (B, Tq, H, Dh)
  return unpad(heads.reshape({query_layout.size(), query_layout.longest, value.size(1)}),
               query_layout);
}

}  // namespace attend::ops
