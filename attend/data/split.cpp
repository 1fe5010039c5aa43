#include "attend/data/split.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/random.h"

namespace attend::data {
namespace {

std::string key_of(const SourceKey& key, const std::string& source) {
  return key ? key(source) : source;
}

/// The number of each pair's source among the distinct ones, in the order of first sight.
struct Numbered {
  std::vector<size_t> of_pair;
  int64_t distinct = 0;
};

Numbered number_sources(const std::vector<Pair>& pairs, const SourceKey& key) {
  Numbered numbered;
  numbered.of_pair.reserve(pairs.size());
  std::unordered_map<std::string, size_t> numbers;
  for (const Pair& pair : pairs) {
    const auto [where, added] = numbers.emplace(key_of(key, pair.source), numbers.size());
    numbered.of_pair.push_back(where->second);
  }
  numbered.distinct = static_cast<int64_t>(numbers.size());
  return numbered;
}

}  // namespace

Split split_by_source(std::vector<Pair> pairs, double share, uint64_t seed, const SourceKey& key) {
  if (!(share >= 0.0 && share < 1.0))
    throw InvalidArgument("[split_by_source] expected a share in [0, 1), found " +
                          std::to_string(share));
  Split split;
  if (share == 0.0) {
    split.train = std::move(pairs);
    return split;
  }
  const Numbered numbered = number_sources(pairs, key);
  int64_t count = std::llround(share * static_cast<double>(numbered.distinct));
  count = std::min(std::max<int64_t>(count, 1), std::max<int64_t>(numbered.distinct - 1, 0));
  const std::vector<int64_t> order = core::permutation(
      numbered.distinct, core::combine(seed, core::hash_name("data.split_by_source")));
  std::vector<bool> held_out(order.size(), false);
  for (int64_t i = 0; i < count; ++i)
    held_out[static_cast<size_t>(order[static_cast<size_t>(i)])] = true;
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::vector<Pair>& part = held_out[numbered.of_pair[i]] ? split.held_out : split.train;
    part.push_back(std::move(pairs[i]));
  }
  return split;
}

std::vector<Pair> unseen(const std::vector<Pair>& pairs, const std::vector<Pair>& seen,
                         const SourceKey& key) {
  std::unordered_set<std::string> known;
  for (const Pair& pair : seen) known.insert(key_of(key, pair.source));
  std::vector<Pair> kept;
  for (const Pair& pair : pairs)
    if (!known.contains(key_of(key, pair.source))) kept.push_back(pair);
  return kept;
}

}  // namespace attend::data
