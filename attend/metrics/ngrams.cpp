#include "attend/metrics/ngrams.h"

#include <algorithm>

#include "attend/core/random.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

constexpr size_t kFirstTableSize = 1024;

constexpr uint64_t edge_of(uint32_t parent, uint32_t token) {
  return (static_cast<uint64_t>(parent) << 32) | token;
}

}  // namespace

std::vector<uint32_t> WordNumbers::number(std::u32string_view line) { return number(split(line)); }

std::vector<uint32_t> WordNumbers::number(const std::vector<std::u32string_view>& words) {
  std::vector<uint32_t> out;
  out.reserve(words.size());
  for (const std::u32string_view word : words) {
    auto found = numbers_.find(word);
    if (found == numbers_.end()) {
      found = numbers_.emplace(word, static_cast<uint32_t>(numbers_.size())).first;
    }
    out.push_back(found->second);
  }
  return out;
}

NgramMatcher::NgramMatcher(int max_order)
    : max_order_(static_cast<size_t>(max_order)), table_(kFirstTableSize), edges_(1), counts_(1) {}

void NgramMatcher::clear() {
  // One long sentence must not make every later one pay for its table.
  if (table_.size() > kFirstTableSize && table_.size() > 16 * edges_.size()) {
    table_.assign(kFirstTableSize, 0);
  } else {
    std::fill(table_.begin(), table_.end(), 0);
  }
  edges_.resize(1);
  counts_.resize(1);
}

// Where the edge is, or the free place where it belongs.
size_t NgramMatcher::slot_of(uint64_t edge) const {
  const size_t mask = table_.size() - 1;
  size_t slot = core::mix64(edge) & mask;
  while (table_[slot] != 0 && edges_[table_[slot]] != edge) slot = (slot + 1) & mask;
  return slot;
}

uint32_t NgramMatcher::find(uint32_t parent, uint32_t token) const {
  return table_[slot_of(edge_of(parent, token))];
}

uint32_t NgramMatcher::find_or_add(uint32_t parent, uint32_t token) {
  const uint64_t edge = edge_of(parent, token);
  const size_t slot = slot_of(edge);
  if (table_[slot] != 0) return table_[slot];
  const auto node = static_cast<uint32_t>(edges_.size());
  table_[slot] = node;
  edges_.push_back(edge);
  counts_.push_back(0);
  if (2 * edges_.size() > table_.size()) grow();
  return node;
}

void NgramMatcher::grow() {
  table_.assign(2 * table_.size(), 0);
  for (size_t node = 1; node < edges_.size(); ++node) {
    table_[slot_of(edges_[node])] = static_cast<uint32_t>(node);
  }
}

void NgramMatcher::add_reference(std::span<const uint32_t> tokens) {
  running_.assign(edges_.size(), 0);
  for (size_t begin = 0; begin < tokens.size(); ++begin) {
    const size_t end = std::min(begin + max_order_, tokens.size());
    uint32_t node = 0;
    for (size_t i = begin; i < end; ++i) {
      node = find_or_add(node, tokens[i]);
      if (node >= running_.size()) running_.resize(node + 1, 0);
      counts_[node] = std::max(counts_[node], ++running_[node]);
    }
  }
}

std::vector<int64_t> NgramMatcher::matches(std::span<const uint32_t> hypothesis) {
  std::vector<int64_t> found(max_order_, 0);
  running_.assign(edges_.size(), 0);
  for (size_t begin = 0; begin < hypothesis.size(); ++begin) {
    const size_t end = std::min(begin + max_order_, hypothesis.size());
    uint32_t node = 0;
    for (size_t i = begin; i < end; ++i) {
      node = find(node, hypothesis[i]);
      if (node == 0) break;  // no longer n-gram with this beginning is in a reference either
      if (++running_[node] <= counts_[node]) ++found[i - begin];
    }
  }
  return found;
}

}  // namespace attend::metrics
