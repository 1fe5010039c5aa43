// Packed sentences as the Transformer's passes read them, and which of them share vectors in
// attention.
#pragma once

#include <cstdint>
#include <vector>

namespace attend::fused {

/// One side of a batch. Keeps its memory from batch to batch.
struct SentenceRows {
  std::vector<int32_t> ids;                ///< N
  std::vector<int64_t> offsets;            ///< B + 1, as in data::PackedIds
  std::vector<int64_t> positions;          ///< N: each token's place in its sentence
  std::vector<int64_t> numbers;            ///< N: dropout's row numbers
  std::vector<int64_t> attention_numbers;  ///< (heads, N): those of its attention weights
  int64_t longest = 0;

  int64_t rows() const { return static_cast<int64_t>(ids.size()); }

  /// Fills all but `ids`. `first` as in data::Batch::source_rows; it is read, and the numbers are
  /// filled, with `dropout` alone: else it may be empty.
  void lay_out(const std::vector<int64_t>& sentence_offsets, const std::vector<int64_t>& first,
               int64_t heads, bool dropout);
};

/// Whose rows look at whose.
struct SentencePairs {
  const std::vector<int64_t>* query_offsets = nullptr;
  const std::vector<int64_t>* key_offsets = nullptr;
  std::vector<int64_t> order;  ///< sentences of like length beside each other
  int64_t most_queries = 0, most_keys = 0;

  int64_t size() const { return static_cast<int64_t>(order.size()); }
  /// Both have to stay.
  void read(const std::vector<int64_t>& queries, const std::vector<int64_t>& keys);
};

}  // namespace attend::fused
