#include "attend/fused/sentence_rows.h"

#include <algorithm>
#include <numeric>

#include "attend/core/random.h"

namespace attend::fused {

void SentenceRows::lay_out(const std::vector<int64_t>& sentence_offsets,
                           const std::vector<int64_t>& first, int64_t heads, bool dropout) {
  offsets = sentence_offsets;
  positions.clear();
  numbers.clear();
  attention_numbers.clear();
  longest = 0;
  const auto for_rows = [&](const auto& body) {
    for (size_t b = 0; b + 1 < offsets.size(); ++b)
      for (int64_t t = 0; t < offsets[b + 1] - offsets[b]; ++t) body(b, t);
  };
  for_rows([&](size_t, int64_t t) {
    positions.push_back(t);
    longest = std::max(longest, t + 1);
  });
  if (!dropout) return;
  for_rows([&](size_t b, int64_t t) { numbers.push_back(first[b] + t); });
  for (int64_t h = 0; h < heads; ++h)
    for_rows([&](size_t b, int64_t t) {
      attention_numbers.push_back(static_cast<int64_t>(core::weight_row(
          static_cast<uint64_t>(first[b]), static_cast<uint64_t>(h), static_cast<uint64_t>(t))));
    });
}

void SentencePairs::read(const std::vector<int64_t>& queries, const std::vector<int64_t>& keys) {
  query_offsets = &queries;
  key_offsets = &keys;
  order.resize(queries.size() - 1);
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto length = [](const std::vector<int64_t>& offsets, int64_t b) {
    return offsets[static_cast<size_t>(b) + 1] - offsets[static_cast<size_t>(b)];
  };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int64_t of_a = length(queries, a), of_b = length(queries, b);
    return of_a != of_b ? of_a > of_b : length(keys, a) > length(keys, b);
  });
  most_queries = most_keys = 0;
  for (const int64_t b : order) {
    most_queries = std::max(most_queries, length(queries, b));
    most_keys = std::max(most_keys, length(keys, b));
  }
}

}  // namespace attend::fused
