// What the written-out passes stand on. The passes themselves are compared with autograd in
// tests/models/fused_step_test.cpp and in the tests of the ops that run them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "attend/core/random.h"
#include "attend/fused/recurrent_batch.h"
#include "attend/fused/sentence_rows.h"
#include "attend/fused/token_gates.h"
#include "attend/fused/workspace.h"

namespace attend::fused {
namespace {

using ::testing::ElementsAre;

TEST(Workspace, PiecesLieApartAtAlignedAddresses) {
  Workspace work;
  std::vector<float*> pieces;
  for (const int64_t n : {1, 17, 0, 100000, 3, 1 << 20}) {
    float* x = work.take<float>(n);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(x) % 64, 0U);
    for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(pieces.size());
    pieces.push_back(x);
  }
  EXPECT_EQ(pieces[1][16], 1.0F);
  EXPECT_EQ(pieces[3][99999], 3.0F);
}

TEST(Workspace, TakesNothingNewTheSecondTime) {
  Workspace work;
  const auto round = [&] {
    work.reset();
    for (int i = 0; i < 50; ++i) work.take<double>(10000 + i);
  };
  round();
  round();
  const size_t bytes = work.bytes();
  for (int i = 0; i < 5; ++i) round();
  EXPECT_EQ(work.bytes(), bytes);
  EXPECT_GE(bytes, 50 * 10000 * sizeof(double));
}

TEST(Workspace, ZerosAreZeroInUsedMemoryToo) {
  Workspace work;
  float* x = work.take<float>(9);
  std::fill_n(x, 9, 5.0F);
  work.reset();
  const float* zeros = work.zeros<float>(9);
  EXPECT_EQ(zeros, x);  // the same memory
  for (int i = 0; i < 9; ++i) EXPECT_EQ(zeros[i], 0.0F) << i;
}

TEST(WorkspaceScope, GivesBackWhatWasTakenInIt) {
  Workspace work;
  float* outer = work.take<float>(100);
  float *first = nullptr, *nested = nullptr;
  {
    const Workspace::Scope scope(work);
    first = work.take<float>(100);
    {
      const Workspace::Scope inner(work);
      nested = work.take<float>(100);
    }
    EXPECT_EQ(work.take<float>(100), nested);  // the inner's, and not the outer's
  }
  EXPECT_NE(first, outer);
  EXPECT_EQ(work.take<float>(100), first);
}

// What lay there before a scope stays, be it that a chunk is added in it, or in one within it.
TEST(WorkspaceScope, LeavesWhatIsOutsideAloneAcrossChunks) {
  for (const bool within : {false, true}) {
    Workspace work;
    std::vector<float*> kept;
    const auto keep = [&] {
      kept.push_back(work.take<float>(1000));
      std::fill_n(kept.back(), 1000, static_cast<float>(kept.size()));
    };
    const auto spill = [&] {  // beyond any chunk that there is
      const auto n = static_cast<int64_t>(work.bytes());
      std::fill_n(work.take<float>(n), n, -1.0F);
    };
    keep();
    const size_t before = work.bytes();
    {
      const Workspace::Scope scope(work);
      if (within) {
        const Workspace::Scope inner(work);
        spill();
      } else {
        spill();
      }
      std::fill_n(work.take<float>(1000), 1000, -1.0F);
    }
    EXPECT_GT(work.bytes(), before);
    const size_t bytes = work.bytes();
    keep();
    {
      const Workspace::Scope scope(work);
      std::fill_n(work.take<float>(1000), 1000, -1.0F);
    }
    keep();
    EXPECT_EQ(work.bytes(), bytes);  // the chunk that was added is used
    for (size_t i = 0; i < kept.size(); ++i)
      for (int64_t j = 0; j < 1000; ++j) ASSERT_EQ(kept[i][j], static_cast<float>(i + 1));
  }
}

TEST(DistinctTokens, StandInTheOrderOfTheirFirstUse) {
  DistinctTokens tokens;
  tokens.find({7, 3, 7, 0, 3}, 9);
  EXPECT_THAT(tokens.distinct(), ElementsAre(7, 3, 0));
  EXPECT_THAT(tokens.place(), ElementsAre(0, 1, 0, 2, 1));
  tokens.find({3, 8}, 9);  // nothing is left of the batch before
  EXPECT_THAT(tokens.distinct(), ElementsAre(3, 8));
  EXPECT_THAT(tokens.place(), ElementsAre(0, 1));
  tokens.find({}, 9);
  EXPECT_EQ(tokens.count(), 0);
}

TEST(TimeMajor, GoesStepByStepLongestFirst) {
  TimeMajor layout;
  lay_out({0, 2, 2, 5, 6}, layout);  // lengths 2, 0, 3, 1
  EXPECT_THAT(layout.order, ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(layout.place, ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(layout.live, ElementsAre(3, 2, 1));
  EXPECT_THAT(layout.packed_row, ElementsAre(2, 0, 5, 3, 1, 4));
  EXPECT_THAT(layout.step_row, ElementsAre(1, 4, 0, 3, 5, 2));
  EXPECT_FALSE(layout.sorted);
  lay_out({0}, layout);
  EXPECT_EQ(layout.rows(), 0);
  EXPECT_EQ(layout.size(), 0);
}

TEST(SentenceRows, CountsPositionsAndNumbersAlone) {
  SentenceRows rows;
  rows.ids = {4, 5, 6};
  rows.lay_out({0, 2, 2, 3}, {7, 9, 9}, 2, true);
  EXPECT_EQ(rows.longest, 2);
  EXPECT_THAT(rows.positions, ElementsAre(0, 1, 0));
  EXPECT_THAT(rows.numbers, ElementsAre(7, 8, 9));
  const auto weight_row = [](uint64_t sentence, uint64_t head, uint64_t query) {
    return static_cast<int64_t>(core::weight_row(sentence, head, query));
  };
  EXPECT_THAT(rows.attention_numbers,
              ElementsAre(weight_row(7, 0, 0), weight_row(7, 0, 1), weight_row(9, 0, 0),
                          weight_row(7, 1, 0), weight_row(7, 1, 1), weight_row(9, 1, 0)));
  rows.lay_out({0, 3}, {}, 2, false);
  EXPECT_EQ(rows.longest, 3);
  EXPECT_THAT(rows.positions, ElementsAre(0, 1, 2));
  EXPECT_TRUE(rows.numbers.empty());
  EXPECT_TRUE(rows.attention_numbers.empty());
}

TEST(SentencePairs, GoByFallingLengthOfQueriesThenOfKeys) {
  const std::vector<int64_t> queries = {0, 2, 2, 5, 7, 9},  // lengths 2, 0, 3, 2, 2
      keys = {0, 1, 5, 6, 9, 10};                           // lengths 1, 4, 1, 3, 1
  SentencePairs pairs;
  pairs.read(queries, keys);
  EXPECT_THAT(pairs.order, ElementsAre(2, 3, 0, 4, 1));
  EXPECT_EQ(pairs.most_queries, 3);
  EXPECT_EQ(pairs.most_keys, 4);
  EXPECT_EQ(pairs.query_offsets, &queries);
  EXPECT_EQ(pairs.key_offsets, &keys);
  const std::vector<int64_t> none = {0};
  pairs.read(none, none);
  EXPECT_EQ(pairs.size(), 0);
  EXPECT_EQ(pairs.most_queries, 0);
  EXPECT_EQ(pairs.most_keys, 0);
}

TEST(RecurrentBatch, ReadsTheBeginMarkThenAllButTheLast) {
  const data::Batch batch = data::make_batch({{{5, 3}, {7, 8, 3}}, {{3}, {3}}});
  RecurrentBatch read;
  read.read(batch, 9, 9, 2);
  EXPECT_THAT(read.targets, ElementsAre(7, 3, 8, 3));  // step by step
  EXPECT_THAT(read.target.tokens.distinct(), ElementsAre(2, 7, 8));
  EXPECT_THAT(read.target.tokens.place(), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(read.target.numbers, ElementsAre(0, 3, 1, 2));
}

// What a small vocabulary is looked up in gives the bits of the product; a large one has no table.
TEST(TokenGates, FromATableAreThoseOfTheProduct) {
  for (const int64_t vocabulary : {5, 90000}) {
    constexpr int64_t kWidth = 2, kOutputs = 3;
    std::vector<float> parameters(static_cast<size_t>(vocabulary * kWidth + 3 * kOutputs));
    for (size_t i = 0; i < parameters.size(); ++i)
      parameters[i] = static_cast<float>(core::uniform01(1, i));
    Panels<float> panels;
    const int64_t weight = vocabulary * kWidth, bias = weight + kWidth * kOutputs;
    const Linear<float> input({weight, kOutputs, kWidth, kWidth}, bias, panels);
    const TokenGates<float> product({0, vocabulary, kWidth, kWidth}, input, false);
    TokenGates<float> table = product;
    panels.pack(parameters.data());
    Workspace work;
    const Pass<float> pass = reading_pass(parameters.data(), panels, work);
    table.tabulate(pass);
    const std::vector<int32_t> ids{4, 0, 4, 3};
    DistinctTokens tokens;
    tokens.find(ids, vocabulary);
    EXPECT_EQ(tokens.id(2), 4);
    std::vector<std::vector<float>> all;
    for (const TokenGates<float>* gates :
         {&product, static_cast<const TokenGates<float>*>(&table)}) {
      std::vector<float> forward(4 * kOutputs), step(4 * kOutputs);
      const float* embedded = gates->forward(pass, tokens, {forward.data(), 4, kOutputs});
      EXPECT_EQ(embedded == nullptr, gates == &table && vocabulary == 5);
      gates->step(pass, ids.data(), {step.data(), 4, kOutputs});
      all.push_back(forward);
      all.push_back(step);
    }
    for (size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i], all[0]) << i;
  }
}

}  // namespace
}  // namespace attend::fused
