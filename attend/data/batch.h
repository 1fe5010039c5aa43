// A batch of sentence pairs, packed: ids and offsets, no padding anywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
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
  void append(std::span<const int32_t> sentence);
  std::span<const int32_t> sentence(int64_t b) const {
    return std::span(ids).subspan(static_cast<size_t>(offsets[static_cast<size_t>(b)]),
                                  static_cast<size_t>(length(b)));
  }
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

/// The same from `count` pairs of spans, source(i) and target(i).
template <class Source, class Target>
Batch make_batch(int64_t count, const Source& source, const Target& target) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return target(a).size() > target(b).size(); });
  Batch batch;
  for (const int64_t i : order) {
    batch.source_rows.push_back(batch.source.tokens());
    batch.target_rows.push_back(batch.target.tokens());
    batch.source.append(source(i));
    batch.target.append(target(i));
  }
  return batch;
}

/// Cuts a batch in `count` shards: from the first sentence on, each goes to the shard with the
/// fewest tokens of both sides so far, so that work and lengths are alike in all. The first shard
/// gets about `head_start` target tokens more than the others: who takes it need not be woken.
/// Empty shards are left out. Throws InvalidArgument when count < 1.
std::vector<Batch> shard_batch(const Batch& batch, int64_t count, int64_t head_start = 0);

/// The number of shards hangs on the batch alone, never on the threads, so results do not either.
int64_t shard_count(const Batch& batch);

}  // namespace attend::data
