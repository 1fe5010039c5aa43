#include "attend/ops/packed_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <string>
#include <utility>

#include "attend/core/errors.h"
#include "attend/ops/attention.h"
#include "attend/ops/attention_heads.h"
#include "attend/ops/check.h"

namespace attend::ops {
namespace {

void check(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
           const PackedLayout& queries, const PackedLayout& keys,
           const PackedAttentionOptions& options) {
  check_floating("packed_attention", {query, key, value});
  check_probability(options.dropout.probability);
  const bool fits = query.dim() == 2 && key.dim() == 2 && value.dim() == 2 &&
                    query.size(0) == queries.rows() && key.size(0) == keys.rows() &&
                    value.size(0) == keys.rows() && key.size(1) == query.size(1) &&
                    queries.size() == keys.size();
  if (!fits)
    refuse("packed_attention",
           "query (" + std::to_string(queries.rows()) + ", D), key and value (" +
               std::to_string(keys.rows()) + ", D) for " + std::to_string(queries.size()) +
               " and " + std::to_string(keys.size()) + " sentences",
           {query, key, value});
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

// What dropout of weights numbers sentences by; empty when it is off.
std::vector<int64_t> sentences_of(const PackedAttentionOptions& options,
                                  const PackedLayout& queries) {
  if (!options.dropout.active()) return {};
  return sentence_numbers(options.row_numbers ? *options.row_numbers : std::vector<int64_t>(),
                          queries);
}

}  // namespace

Mask packed_mask(const PackedLayout& keys, bool causal) {
  if (causal) return Mask::causal();
  return keys.even ? Mask::none() : Mask::keys(keys.real);
}

std::vector<int64_t> sentence_numbers(const std::vector<int64_t>& row_numbers,
                                      const PackedLayout& queries) {
  if (static_cast<int64_t>(row_numbers.size()) != queries.rows())
    throw InvalidArgument("[packed_attention] expected a row number for each of " +
                          std::to_string(queries.rows()) + " query rows, found " +
                          std::to_string(row_numbers.size()));
  std::vector<int64_t> numbers;
  for (int64_t b = 0; b < queries.size(); ++b)
    numbers.push_back(
        queries.length(b) == 0 ? 0 : row_numbers[static_cast<size_t>(queries.first_row(b))]);
  return numbers;
}

at::Tensor real_weights(const at::Tensor& weights, const PackedLayout& queries) {
  return weights.detach() * queries.real.view({queries.size(), 1, queries.longest, 1});
}

at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const PackedLayout& query_layout, const PackedLayout& key_layout,
                            const PackedAttentionOptions& options) {
  check(query, key, value, query_layout, key_layout, options);
  const detail::HeadTensors rows{query, key, value, {}, {}};
  if (!detail::heads_declined(rows).empty() || !detail::heads_finite(rows))
    return packed_attention_composed(query, key, value, query_layout, key_layout, options);
  const int64_t heads = options.heads;
  detail::HeadPlan plan;
  plan.heads = plan.key_heads = heads;
  plan.query_offsets = query_layout.offsets;
  plan.key_offsets = key_layout.offsets;
  plan.scale = 1.0 / std::sqrt(static_cast<double>(query.size(1) / heads));
  plan.dropout = options.dropout;
  plan.site = options.site;
  plan.sentences = sentences_of(options, query_layout);
  if (options.causal) plan.limits.most = 0;
  at::Tensor weights;
  if (options.weights != nullptr)
    weights = *options.weights =
        at::zeros({query_layout.size(), heads, query_layout.longest, key_layout.longest},
                  query.options().requires_grad(false));
  return detail::attend_heads(rows, std::move(plan), weights);
}

at::Tensor packed_attention_composed(const at::Tensor& query, const at::Tensor& key,
                                     const at::Tensor& value, const PackedLayout& query_layout,
                                     const PackedLayout& key_layout,
                                     const PackedAttentionOptions& options) {
  check(query, key, value, query_layout, key_layout, options);
  const int64_t sentences = query_layout.size(), longest = query_layout.longest;
  const AttentionResult seen = scaled_dot_product_attention(
      split_heads(query, query_layout, options.heads), split_heads(key, key_layout, options.heads),
      split_heads(value, key_layout, options.heads), packed_mask(key_layout, options.causal),
      {.return_weights = options.weights != nullptr,
       .dropout = options.dropout,
       .site = options.site,
       .rows = sentences_of(options, query_layout)});
  if (options.weights != nullptr) *options.weights = real_weights(seen.weights, query_layout);
  const at::Tensor heads = seen.output.transpose(1, 2);  // (B, Tq, H, Dh)
  return unpad(heads.reshape({sentences, longest, value.size(1)}), query_layout);
}

}  // namespace attend::ops
