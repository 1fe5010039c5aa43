#include "attend/data/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "attend/core/errors.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

/// 100 sources with one to three targets each.
std::vector<Pair> pairs() {
  std::vector<Pair> out;
  for (int64_t i = 0; i < 200; ++i)
    out.push_back({"s" + std::to_string(i * i % 101), "t" + std::to_string(i), i + 1});
  return out;
}

std::set<std::string> sources(const std::vector<Pair>& list) {
  std::set<std::string> out;
  for (const Pair& pair : list) out.insert(pair.source);
  return out;
}

TEST(SplitBySource, SharesNoSourceAndLosesNoPair) {
  const Split split = split_by_source(pairs(), 0.2, 7);
  EXPECT_EQ(split.train.size() + split.held_out.size(), pairs().size());
  const auto train = sources(split.train);
  for (const std::string& source : sources(split.held_out)) EXPECT_FALSE(train.contains(source));
  const size_t distinct = sources(pairs()).size();
  EXPECT_EQ(distinct, 51u);
  EXPECT_EQ(sources(split.held_out).size(), 10u);  // 0.2 of 51, rounded
  for (const auto* part : {&split.train, &split.held_out})
    for (size_t i = 1; i < part->size(); ++i) EXPECT_LT((*part)[i - 1].line, (*part)[i].line);
}

TEST(SplitBySource, HangsOnTheSeedAlone) {
  const auto held = [](uint64_t seed) {
    return sources(split_by_source(pairs(), 0.2, seed).held_out);
  };
  EXPECT_EQ(held(7), held(7));
  EXPECT_NE(held(7), held(8));
}

TEST(SplitBySource, LeavesNoPartEmpty) {
  EXPECT_EQ(sources(split_by_source(pairs(), 0.001, 1).held_out).size(), 1u);
  EXPECT_EQ(sources(split_by_source(pairs(), 0.999, 1).train).size(), 1u);
  EXPECT_TRUE(split_by_source(pairs(), 0.0, 1).held_out.empty());
  const Split single = split_by_source({{"a", "b", 1}, {"a", "c", 2}}, 0.5, 1);
  EXPECT_EQ(single.train.size(), 2u);
  EXPECT_TRUE(split_by_source({}, 0.5, 1).train.empty());
  for (const double share : {-0.1, 1.0, std::nan("")})
    EXPECT_THROW(split_by_source(pairs(), share, 1), InvalidArgument);
}

TEST(SplitBySource, TakesSpellingsForOneSourceByAKey) {
  std::vector<Pair> list;
  for (int i = 0; i < 40; ++i) {
    list.push_back({"Go " + std::to_string(i) + ".", "a", 2 * i + 1});
    list.push_back({"go " + std::to_string(i) + " .", "b", 2 * i + 2});
  }
  const SourceKey key = [](std::string_view text) { return text::clean_line(text, {}); };
  const Split split = split_by_source(list, 0.25, 3, key);
  EXPECT_EQ(split.held_out.size(), 20u);
  EXPECT_EQ(unseen(split.held_out, split.train, key).size(), 20u);
  EXPECT_EQ(unseen(list, split.train, key).size(), 20u);
}

TEST(Unseen, DropsSeenSources) {
  const std::vector<Pair> kept =
      unseen({{"a", "1", 1}, {"b", "2", 2}, {"a", "3", 3}}, {{"a", "9", 1}});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].source, "b");
}

}  // namespace
}  // namespace attend::data
