#include "attend/data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "attend/core/errors.h"

namespace attend::data {
namespace {

using testing::ElementsAre;

/// n pairs; the target of pair i has 1 + i * 7 % 13 tokens.
Dataset make(int64_t n) {
  Dataset dataset;
  for (int64_t i = 0; i < n; ++i) {
    const auto id = static_cast<int32_t>(i);
    dataset.source.append(std::vector<int32_t>(static_cast<size_t>(1 + i * 5 % 11), id));
    dataset.target.append(std::vector<int32_t>(static_cast<size_t>(1 + i * 7 % 13), id));
    dataset.lines.push_back(i + 1);
  }
  return dataset;
}

std::vector<int64_t> all_indices(const Epoch& epoch) {
  std::vector<int64_t> all;
  for (int64_t b = 0; b < epoch.size(); ++b)
    all.insert(all.end(), epoch.indices(b).begin(), epoch.indices(b).end());
  return all;
}

void expect_each_once(const Epoch& epoch, int64_t n) {
  std::vector<int64_t> all = all_indices(epoch);
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) EXPECT_EQ(all[static_cast<size_t>(i)], i);
}

TEST(Epoch, GivesEachPairOnce) {
  for (const int64_t n : {0, 1, 7, 64, 65, 1000})
    for (const bool bucket : {false, true})
      for (const bool shuffle : {false, true})
        for (const int64_t tokens : {0, 1, 50}) {
          const Dataset d = make(n);
          const Epoch epoch(
              d,
              {.sentences = 8, .tokens = tokens, .shuffle = shuffle, .bucket = bucket, .pool = 3},
              1, 0);
          expect_each_once(epoch, n);
          for (int64_t b = 0; b < epoch.size(); ++b) {
            const Batch batch = epoch.batch(b);
            EXPECT_GE(batch.size(), 1);
            EXPECT_LE(batch.size(), 8);
            if (tokens > 0 && batch.size() > 1) {
              EXPECT_LE(batch.target_tokens(), tokens);
            }
          }
        }
}

TEST(Epoch, TheLastBatchIsSmaller) {
  const Dataset d = make(130);
  const Epoch epoch(d, {.sentences = 64}, 1, 0);
  ASSERT_EQ(epoch.size(), 3);
  EXPECT_EQ(epoch.batch(0).size(), 64);
  EXPECT_EQ(epoch.batch(2).size(), 2);
}

// Resuming needs (epoch, batch number) alone: any batch can be made again, in any order.
TEST(Epoch, IsAPureFunctionOfSeedAndEpoch) {
  const Dataset d = make(300);
  for (const bool bucket : {false, true}) {
    const BatchOptions options{.sentences = 16, .bucket = bucket, .pool = 4};
    const Epoch first(d, options, 5, 3);
    EXPECT_EQ(all_indices(Epoch(d, options, 5, 3)), all_indices(first));
    EXPECT_NE(all_indices(Epoch(d, options, 5, 4)), all_indices(first));
    EXPECT_NE(all_indices(Epoch(d, options, 6, 3)), all_indices(first));
    EXPECT_EQ(Epoch(d, options, 5, 3).batch(7).target.ids, first.batch(7).target.ids);
    EXPECT_EQ(Epoch(d, options, 5, 9).size(), first.size());
  }
}

// The order is part of what a stopped run relies on: it may not change from one release to the
// next.
TEST(Epoch, OrderIsFixed) {
  const Dataset d = make(10);
  const std::vector<int64_t> order = all_indices(Epoch(d, {.sentences = 4}, 42, 0));
  EXPECT_THAT(order, ElementsAre(8, 2, 1, 3, 4, 9, 0, 6, 7, 5));
}

TEST(Epoch, WithoutShuffleKeepsTheOrderOfTheFile) {
  const Dataset d = make(10);
  EXPECT_THAT(all_indices(Epoch(d, {.sentences = 4, .shuffle = false}, 1, 2)),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Epoch, BucketsHoldLikeLengths) {
  const Dataset d = make(4000);
  const auto spread = [&](bool bucket) {
    const Epoch epoch(d, {.sentences = 20, .bucket = bucket}, 1, 0);
    int64_t sum = 0;
    for (int64_t b = 0; b < epoch.size(); ++b) {
      const Batch batch = epoch.batch(b);
      sum += batch.target.length(0) - batch.target.length(batch.size() - 1);
    }
    return static_cast<double>(sum) / static_cast<double>(epoch.size());
  };
  EXPECT_GT(spread(false), 8.0);
  EXPECT_LT(spread(true), 1.0);
  // The batches do not come in the order of their lengths.
  const Epoch epoch(d, {.sentences = 20, .bucket = true}, 1, 0);
  int rises = 0;
  for (int64_t b = 1; b < epoch.size(); ++b)
    rises += epoch.batch(b).target.length(0) > epoch.batch(b - 1).target.length(0);
  EXPECT_GT(rises, 50);
  EXPECT_LT(rises, 150);
}

TEST(Epoch, BatchesAreSortedByTargetLength) {
  const Dataset d = make(64);
  const Batch batch = Epoch(d, {.sentences = 64}, 1, 0).batch(0);
  for (int64_t b = 1; b < batch.size(); ++b)
    EXPECT_LE(batch.target.length(b), batch.target.length(b - 1));
  EXPECT_EQ(batch.source.size(), 64);
  for (int64_t b = 0; b < batch.size(); ++b) {  // both sides belong together
    const auto at = static_cast<size_t>(b);
    EXPECT_EQ(batch.source.ids[static_cast<size_t>(batch.source.offsets[at])],
              batch.target.ids[static_cast<size_t>(batch.target.offsets[at])]);
  }
}

TEST(Epoch, RefusesBadOptions) {
  const Dataset d = make(3);
  EXPECT_THROW(Epoch(d, {.sentences = 0}, 1, 0), InvalidArgument);
  EXPECT_THROW(Epoch(d, {.tokens = -1}, 1, 0), InvalidArgument);
  EXPECT_THROW(Epoch(d, {.pool = 0}, 1, 0), InvalidArgument);
  EXPECT_THROW(Epoch(d, {}, 1, -1), InvalidArgument);
  EXPECT_THROW(Epoch(d, {}, 1, 0).batch(1), InvalidArgument);
  EXPECT_THROW(Epoch(d, {}, 1, 0).batch(-1), InvalidArgument);
  const int64_t huge = std::numeric_limits<int64_t>::max();
  expect_each_once(
      Epoch(d, {.sentences = huge, .tokens = huge, .bucket = true, .pool = huge}, 1, 0), 3);
}

TEST(Gather, TakesAnyPairs) {
  const Dataset d = make(5);
  const std::vector<int64_t> pick = {4, 1, 1};
  const Batch batch = gather(d, pick);
  EXPECT_EQ(batch.size(), 3);
  EXPECT_EQ(batch.target_tokens(), d.target.length(4) + 2 * d.target.length(1));
  EXPECT_EQ(gather(d, {}).size(), 0);
}

}  // namespace
}  // namespace attend::data
