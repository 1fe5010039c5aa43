#include "attend/data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"

namespace attend::data {
namespace {

using testing::ElementsAre;

Batch sample() {
  return make_batch(
      {{{1}, {11}}, {{2, 2}, {22, 22, 22}}, {{3}, {33, 33}}, {{}, {}}, {{5, 5, 5}, {55, 55, 55}}});
}

TEST(Batch, SortsByFallingTargetLengthAndKeepsTies) {
  const Batch batch = sample();
  EXPECT_THAT(batch.target.ids, ElementsAre(22, 22, 22, 55, 55, 55, 33, 33, 11));
  EXPECT_THAT(batch.target.offsets, ElementsAre(0, 3, 6, 8, 9, 9));
  EXPECT_THAT(batch.source.ids, ElementsAre(2, 2, 5, 5, 5, 3, 1));
  EXPECT_THAT(batch.source_rows, ElementsAre(0, 2, 5, 6, 7));
  EXPECT_THAT(batch.target_rows, ElementsAre(0, 3, 6, 8, 9));
  EXPECT_EQ(batch.target.max_length(), 3);
  EXPECT_EQ(make_batch({}).size(), 0);
  EXPECT_EQ(PackedIds().max_length(), 0);
}

TEST(Shards, KeepEverySentenceWithItsRows) {
  const Batch batch = sample();
  for (const int64_t count : {1, 2, 3, 5, 9}) {
    const std::vector<Batch> shards = shard_batch(batch, count);
    EXPECT_EQ(static_cast<int64_t>(shards.size()), std::min<int64_t>(count, 5));
    int64_t sentences = 0, tokens = 0;
    for (const Batch& shard : shards) {
      sentences += shard.size();
      tokens += shard.target_tokens();
      for (int64_t b = 0; b < shard.size(); ++b) {
        const auto at = static_cast<size_t>(b);
        for (int64_t t = 0; t < shard.target.length(b); ++t)
          EXPECT_EQ(shard.target.ids[static_cast<size_t>(shard.target.offsets[at] + t)],
                    batch.target.ids[static_cast<size_t>(shard.target_rows[at] + t)]);
      }
    }
    EXPECT_EQ(sentences, 5);
    EXPECT_EQ(tokens, batch.target_tokens());
  }
  EXPECT_TRUE(shard_batch(make_batch({}), 4).empty());
  EXPECT_THROW(shard_batch(batch, 0), InvalidArgument);
}

TEST(Shards, ShareTheTokensOfBothSidesOut) {
  std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>> pairs;
  for (size_t i = 0; i < 60; ++i)
    pairs.emplace_back(std::vector<int32_t>(1 + i % 3, 1), std::vector<int32_t>(1 + i % 7, 1));
  const Batch batch = make_batch(pairs);
  const auto load = [](const Batch& shard) {
    return shard.source.tokens() + shard.target_tokens();
  };
  const std::vector<Batch> even = shard_batch(batch, 2);
  EXPECT_NEAR(load(even[0]), load(even[1]), 3);
  const std::vector<Batch> ahead = shard_batch(batch, 2, 10);
  EXPECT_NEAR(load(ahead[0]) - load(ahead[1]), 20, 3);
  EXPECT_EQ(shard_batch(batch, 2, 100000).size(), 1U) << "the first has taken all";
  EXPECT_EQ(load(shard_batch(batch, 2, -7)[0]), load(even[0]));
}

TEST(Shards, TheirNumberHangsOnTheTokens) {
  const auto with = [](int64_t tokens) {
    return make_batch({{{1}, std::vector<int32_t>(static_cast<size_t>(tokens), 1)}});
  };
  EXPECT_EQ(shard_count(with(0)), 1);
  EXPECT_EQ(shard_count(with(127)), 1);
  EXPECT_EQ(shard_count(with(128)), 2);
  EXPECT_EQ(shard_count(with(1024)), 3);
  EXPECT_EQ(shard_count(with(1 << 20)), 16);
}

}  // namespace
}  // namespace attend::data
