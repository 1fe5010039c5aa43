// Clipped matches of n-grams: an n-gram of the hypothesis counts as often as the reference has it,
// at most. With several references, as often as the one that has it most (Papineni et al. 2002).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attend::metrics {

/// How many n-grams of this order a sequence has.
constexpr int64_t ngram_count(int64_t length, int64_t order) {
  return length >= order ? length - order + 1 : 0;
}

/// Numbers words, so that n-grams compare integers.
class WordNumbers {
 public:
  /// Numbers the words between blanks of a line.
  std::vector<uint32_t> number(std::u32string_view line);
  std::vector<uint32_t> number(const std::vector<std::u32string_view>& words);

 private:
  struct Hash : std::hash<std::u32string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::u32string, uint32_t, Hash, std::equal_to<>> numbers_;
};

/// The n-grams of one sentence's references, in a trie: an n-gram is its first n - 1 tokens and one
/// more, so equality is exact, whatever the order, and one probe a token. Kept from sentence to
/// sentence for its memory.
class NgramMatcher {
 public:
  /// `max_order` >= 1: the longest n-gram.
  explicit NgramMatcher(int max_order);

  /// Forgets the references.
  void clear();
  void add_reference(std::span<const uint32_t> tokens);
  /// The clipped matches of each order; max_order entries, the first for single tokens.
  std::vector<int64_t> matches(std::span<const uint32_t> hypothesis);

 private:
  size_t slot_of(uint64_t edge) const;
  uint32_t find(uint32_t parent, uint32_t token) const;
  uint32_t find_or_add(uint32_t parent, uint32_t token);
  void grow();

  size_t max_order_;
  std::vector<uint32_t> table_;   // open addressing, a power of two; 0: free
  std::vector<uint64_t> edges_;   // per node: (parent, token). Node 0 is the root
  std::vector<int64_t> counts_;   // per node: the most that any reference has
  std::vector<int64_t> running_;  // per node: of the sequence being read
};

}  // namespace attend::metrics
