#include "attend/metrics/ngrams.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "attend/core/random.h"

namespace attend::metrics {
namespace {

using Tokens = std::vector<uint32_t>;
using ::testing::ElementsAre;

TEST(NgramMatcher, ClipsToTheReference) {
  NgramMatcher matcher(3);
  matcher.add_reference(Tokens{1, 2, 1});
  EXPECT_THAT(matcher.matches(Tokens{1, 1, 1, 1}), ElementsAre(2, 0, 0));
  EXPECT_THAT(matcher.matches(Tokens{1, 2, 1, 2}), ElementsAre(3, 2, 1));
  EXPECT_THAT(matcher.matches(Tokens{}), ElementsAre(0, 0, 0));
  EXPECT_THAT(matcher.matches(Tokens{7, 8, 9}), ElementsAre(0, 0, 0));
}

TEST(NgramMatcher, SeveralReferencesMergeByMaximum) {
  NgramMatcher matcher(2);
  matcher.add_reference(Tokens{1, 1, 2});
  matcher.add_reference(Tokens{1, 3, 3});
  EXPECT_THAT(matcher.matches(Tokens{1, 1, 1, 3, 3, 3}), ElementsAre(4, 3));
}

TEST(NgramMatcher, ClearForgets) {
  NgramMatcher matcher(2);
  matcher.add_reference(Tokens{1, 2});
  matcher.clear();
  EXPECT_THAT(matcher.matches(Tokens{1, 2}), ElementsAre(0, 0));
  matcher.add_reference(Tokens{2, 1});
  EXPECT_THAT(matcher.matches(Tokens{1, 2}), ElementsAre(2, 0));
}

// Against a count with maps, over sizes that make the table grow and shrink again.
TEST(NgramMatcher, EqualsPlainCounting) {
  const auto count = [](const Tokens& tokens, size_t n) {
    std::map<Tokens, int64_t> counts;
    for (size_t i = 0; i + n <= tokens.size(); ++i) {
      ++counts[Tokens(tokens.begin() + static_cast<long>(i),
                      tokens.begin() + static_cast<long>(i + n))];
    }
    return counts;
  };
  const auto draw = [](size_t size, uint64_t key) {
    Tokens tokens(size);
    for (size_t i = 0; i < size; ++i) {
      tokens[i] = static_cast<uint32_t>(core::combine(key, i) % 7);
    }
    return tokens;
  };
  NgramMatcher matcher(5);
  uint64_t key = 0;
  for (const size_t size : {0, 1, 4, 5, 30, 5000, 3, 40, 2000, 1}) {
    const Tokens reference = draw(size, ++key), hypothesis = draw(size + size / 3, ++key);
    matcher.clear();
    matcher.add_reference(reference);
    const std::vector<int64_t> found = matcher.matches(hypothesis);
    for (size_t n = 1; n <= 5; ++n) {
      auto in_reference = count(reference, n);
      int64_t expected = 0;
      for (const auto& [gram, times] : count(hypothesis, n)) {
        expected += std::min(times, in_reference[gram]);
      }
      EXPECT_EQ(found[n - 1], expected) << "size " << size << ", order " << n;
    }
  }
}

TEST(Ngrams, CountOfASequence) {
  EXPECT_EQ(ngram_count(0, 1), 0);
  EXPECT_EQ(ngram_count(3, 1), 3);
  EXPECT_EQ(ngram_count(3, 3), 1);
  EXPECT_EQ(ngram_count(3, 4), 0);
}

}  // namespace
}  // namespace attend::metrics
