// What the written-out passes stand on. The passes themselves are compared with autograd in
// tests/models/fused_step_test.cpp and in the tests of the ops that run them.
#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "attend/fused/recurrent_batch.h"
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
  for (int i = 0; i < 9; ++i) EXPECT_EQ(work.zeros<float>(9)[i], 0.0F);
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

TEST(RecurrentBatch, ReadsTheBeginMarkThenAllButTheLast) {
  const data::Batch batch = data::make_batch({{{5, 3}, {7, 8, 3}}, {{3}, {3}}});
  RecurrentBatch read;
  read.read(batch, 9, 9, 2);
  EXPECT_THAT(read.targets, ElementsAre(7, 3, 8, 3));  // step by step
  EXPECT_THAT(read.target.tokens.distinct(), ElementsAre(2, 7, 8));
  EXPECT_THAT(read.target.tokens.place(), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(read.target.numbers, ElementsAre(0, 3, 1, 2));
}

}  // namespace
}  // namespace attend::fused
