// A batch of sentence pairs, packed: ids and offsets, no padding anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attend::data {

/// Sentences end to end. Sentence b is ids[offsets[b] .. offsets[b + 1]).
struct PackedIds {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};  ///< B + 1 entries, the first 0, never falling

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
  int64_t length(int64_t b) const {
    return offsets[static_cast<size_t>(b) + 1] - offsets[static_cast<size_t>(b)];
  }
  int64_t max_length() const;
  void append(const std::vector<int32_t>& sentence);
};

/// What a model trains on. Both sides end with the end mark (unless a target was cut). The
/// decoder's input at step t is the begin mark for t = 0 and target[t - 1] after it; it predicts
/// target[t]. Sentences are in order of falling target length (stable), which the recurrent kernels
/// rely on.
struct Batch {
  PackedIds source;
  PackedIds target;
  /// Where each sentence's rows begin in the whole batch, for dropout's counter: a shard keeps the
  /// whole batch's numbers, so a mask does not depend on how a batch is cut.
  std::vector<int64_t> source_rows;  ///< B
  std::vector<int64_t> target_rows;  ///< B

  int64_t size() const { return target.size(); }
  int64_t target_tokens() const { return target.tokens(); }
};

/// Sorts the pairs by falling target length and packs them. Each pair is (source ids, target ids).
Batch make_batch(const std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>& pairs);

/// Cuts a batch in `count` shards of about equal target tokens: shard i takes the sentences
/// i, i + count, i + 2 count, ... so lengths are alike in all. Empty shards are left out. Throws
/// InvalidArgument when count < 1.
std::vector<Batch> shard_batch(const Batch& batch, int64_t count);

/// The number of shards hangs on the batch alone, never on the threads, so results do not either.
int64_t shard_count(const Batch& batch);

}  // namespace attend::data
