#include "attend/data/batch.h"

#include <algorithm>
#include <string>

#include "attend/core/errors.h"

namespace attend::data {

int64_t PackedIds::max_length() const {
  int64_t longest = 0;
  for (int64_t b = 0; b < size(); ++b) longest = std::max(longest, length(b));
  return longest;
}

void PackedIds::append(std::span<const int32_t> sentence) {
  ids.insert(ids.end(), sentence.begin(), sentence.end());
  offsets.push_back(static_cast<int64_t>(ids.size()));
}

Batch make_batch(const std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>& pairs) {
  return make_batch(
      static_cast<int64_t>(pairs.size()),
      [&](int64_t i) -> std::span<const int32_t> { return pairs[static_cast<size_t>(i)].first; },
      [&](int64_t i) -> std::span<const int32_t> { return pairs[static_cast<size_t>(i)].second; });
}

std::vector<Batch> shard_batch(const Batch& batch, int64_t count, int64_t head_start) {
  if (count < 1)
    throw InvalidArgument("[shard_batch] expected at least 1 shard, found " +
                          std::to_string(count));
  std::vector<Batch> shards(static_cast<size_t>(std::min(count, batch.size())));
  std::vector<int64_t> loads(shards.size(), 0);  // in tokens of both sides
  if (!loads.empty()) loads.front() = -2 * std::max<int64_t>(head_start, 0);
  for (int64_t b = 0; b < batch.size(); ++b) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += batch.source.length(b) + batch.target.length(b);
    Batch& shard = shards[static_cast<size_t>(least - loads.begin())];
    shard.source.append(batch.source.sentence(b));
    shard.target.append(batch.target.sentence(b));
    shard.source_rows.push_back(batch.source_rows[static_cast<size_t>(b)]);
    shard.target_rows.push_back(batch.target_rows[static_cast<size_t>(b)]);
  }
  std::erase_if(shards, [](const Batch& shard) { return shard.size() == 0; });
  return shards;
}

int64_t shard_count(const Batch& batch) {
  // Two from 128 target tokens on, then one for each further 1,024, up to 16: small batches gain
  // from a second core, large ones feed more of them.
  const int64_t tokens = batch.target_tokens();
  if (tokens < 128) return 1;
  return std::min<int64_t>(16, 2 + tokens / 1024);
}

}  // namespace attend::data
