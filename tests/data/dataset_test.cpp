#include "attend/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "attend/core/errors.h"

namespace attend::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using text::Pipeline;
using text::Side;

text::TextConfig every_word() {
  text::TextConfig config;
  config.min_frequency = 1;
  return config;
}

// Ids: a 4, b 5, c 6, d 7, e 8 (by falling frequency).
Pipeline letters(Side side = Side::kSource) {
  return Pipeline::build(every_word(), side, {"a b c d e", "a b c d", "a b c", "a b", "a"});
}

// The limit counts the end mark: 4 steps hold 3 tokens and the end.
TEST(Encode, CutsASourceBeforeTheEndMark) {
  const Pipeline p = letters();
  EXPECT_THAT(encode_source(p, "a b", 4).ids, ElementsAre(4, 5, 3));
  EXPECT_THAT(encode_source(p, "a b c", 4).ids, ElementsAre(4, 5, 6, 3));
  EXPECT_FALSE(encode_source(p, "a b c", 4).cut);
  EXPECT_THAT(encode_source(p, "a b c d", 4).ids, ElementsAre(4, 5, 6, 3));
  EXPECT_TRUE(encode_source(p, "a b c d", 4).cut);
  EXPECT_THAT(encode_source(p, "a", 1).ids, ElementsAre(3));
}

TEST(Encode, CutsATargetWithoutAnEndMark) {
  const Pipeline p = letters();
  EXPECT_THAT(encode_target(p, "a b c", 4).ids, ElementsAre(4, 5, 6, 3));
  EXPECT_FALSE(encode_target(p, "a b c", 4).cut);
  EXPECT_THAT(encode_target(p, "a b c d", 4).ids, ElementsAre(4, 5, 6, 7));
  EXPECT_TRUE(encode_target(p, "a b c d", 4).cut);
  EXPECT_THAT(encode_target(p, "a b c d e", 4).ids, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(encode_target(p, "", 1).ids, ElementsAre(3));
}

TEST(Encode, CountsUnknownTokensThatAreLeft) {
  const Encoded e = encode_source(letters(), "x a y z", 4);
  EXPECT_THAT(e.ids, ElementsAre(0, 4, 0, 3));
  EXPECT_EQ(e.unknown, 2);
  EXPECT_THAT(encode_source(letters(), " ", 4).ids, ElementsAre(3));
  EXPECT_THROW(encode_source(letters(), "a", 0), InvalidArgument);
  EXPECT_THROW(encode_target(letters(), "a", -1), InvalidArgument);
}

TEST(EncodePairs, PacksAndReports) {
  const Pipeline p = letters();
  const Dataset d =
      encode_pairs({{"a", "a b c d", 3}, {"b x", "", 5}, {"a b c d", "x y", 9}}, p, p, 4);
  EXPECT_EQ(d.size(), 3);
  EXPECT_THAT(d.source.ids, ElementsAre(4, 3, 5, 0, 3, 4, 5, 6, 3));
  EXPECT_THAT(d.target.offsets, ElementsAre(0, 4, 5, 8));
  EXPECT_THAT(d.source_ids(1), ElementsAre(5, 0, 3));
  EXPECT_THAT(d.target_ids(2), ElementsAre(0, 0, 3));
  EXPECT_THAT(d.lines, ElementsAre(3, 5, 9));
  EXPECT_THAT(d.report.cut_source.lines, ElementsAre(9));
  EXPECT_THAT(d.report.cut_target.lines, ElementsAre(3));
  EXPECT_THAT(d.report.unknown_source.lines, ElementsAre(5));
  EXPECT_EQ(d.report.longest_target, 5);
  EXPECT_EQ(d.report.unknown_target_tokens, 2);
  EXPECT_EQ(d.report.text(),
            "source sentences cut: 1 (line 9); "
            "target sentences cut, which leaves them without an end mark: 1 (line 3); "
            "17 % of the source tokens are unknown (1 of 6, in 1 sentence); "
            "33 % of the target tokens are unknown (2 of 6, in 1 sentence)");
  EXPECT_EQ(encode_pairs({}, p, p, 4).size(), 0);
  EXPECT_EQ(encode_pairs({}, p, p, 4).report.text(), "");
  EXPECT_THROW(encode_pairs({}, p, p, 0), InvalidArgument);
}

TEST(LineTally, KeepsTheFirstLines) {
  LineTally tally;
  EXPECT_EQ(tally.text(), "");
  tally.add(7);
  EXPECT_EQ(tally.text(), "line 7");
  for (int64_t line = 8; line <= 16; ++line) tally.add(line);
  EXPECT_EQ(tally.text(), "lines 7, 8, 9, 10, 11, 12, 13, 14, 15, 16");
  tally.add(17);
  EXPECT_EQ(tally.text(), "lines 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, ...");
  EXPECT_EQ(tally.count, 11);
}

double floor_of(const std::vector<Pair>& pairs, int64_t steps = 10) {
  return loss_floor(encode_pairs(pairs, letters(), letters(), steps));
}

TEST(LossFloor, IsTheEntropyThatSourcesLeave) {
  const double log2 = std::log(2.0);
  EXPECT_EQ(floor_of({}), 0.0);
  EXPECT_EQ(floor_of({{"a", "b", 1}, {"b", "c", 2}}), 0.0);
  EXPECT_EQ(floor_of({{"a", "b", 1}, {"a", "b", 2}}), 0.0);
  // Two targets for one source: a coin at the first token, 4 tokens in all.
  EXPECT_NEAR(floor_of({{"a", "b", 1}, {"a", "c", 2}}), 2 * log2 / 4, 1e-12);
  // A common start, then a coin: 2 log 2 over 6 tokens.
  EXPECT_NEAR(floor_of({{"a", "d b", 1}, {"a", "d c", 2}}), 2 * log2 / 6, 1e-12);
  // One stops where the other goes on: the end mark is a token like others. 2 log 2 over 2 + 3.
  EXPECT_NEAR(floor_of({{"a", "d", 1}, {"a", "d c", 2}}), 2 * log2 / 5, 1e-12);
  // 2 to 1: 3 H(1/3) over 6.
  EXPECT_NEAR(floor_of({{"a", "b", 1}, {"a", "b", 2}, {"a", "c", 3}}),
              (3 * std::log(3.0) - 2 * log2) / 6, 1e-12);
  // Cut targets have no token after the cut, so nothing to guess there.
  EXPECT_EQ(floor_of({{"a", "b c d e", 1}, {"a", "b c d a", 2}}, 3), 0.0);
  EXPECT_NEAR(floor_of({{"a", "b c d", 1}, {"a", "b c", 2}}, 3), 2 * log2 / 6, 1e-12);
}

// The order of the pairs is no matter, nor are sources that differ.
TEST(LossFloor, GroupsBySource) {
  const double mixed = floor_of({{"a", "b", 1}, {"b", "c", 2}, {"a", "c", 3}, {"b", "c", 4}});
  EXPECT_NEAR(mixed, 2 * std::log(2.0) / 8, 1e-12);
}

class FraEng : public testing::Test {
 protected:
  static constexpr const char* kPath = ATTEND_SHARED_DATA "/fra-eng/fra.txt";
  void SetUp() override {
    if (!std::filesystem::exists(kPath)) GTEST_SKIP() << "needs manythings' fra.txt at " << kPath;
  }
  static Pipeline pipeline(const Corpus& corpus, Side side) {
    std::vector<std::string> lines;
    for (const Pair& pair : corpus.pairs)
      lines.push_back(side == Side::kSource ? pair.source : pair.target);
    return Pipeline::build({}, side, lines);
  }
};

TEST_F(FraEng, TheChaptersPairs) {
  const Corpus corpus = read_pairs(kPath, {.limit = 600});
  EXPECT_EQ(corpus.report.kept, 600);
  EXPECT_EQ(corpus.report.lines, 167130);
  EXPECT_EQ(corpus.report.left_out(), 0);
  const Pipeline source = pipeline(corpus, Side::kSource);
  const Pipeline target = pipeline(corpus, Side::kTarget);
  EXPECT_EQ(source.vocabulary_size(), 184);
  EXPECT_EQ(target.vocabulary_size(), 201);
  const Dataset dataset = encode_pairs(corpus.pairs, source, target, 10);
  EXPECT_EQ(dataset.report.cut_source.count, 0);
  EXPECT_NEAR(loss_floor(dataset), 0.16059277891398, 1e-12);
}

TEST_F(FraEng, AllOfIt) {
  const Corpus corpus = read_pairs(kPath);
  EXPECT_EQ(corpus.report.kept, 167130);
  const Dataset dataset = encode_pairs(corpus.pairs, pipeline(corpus, Side::kSource),
                                       pipeline(corpus, Side::kTarget), 20);
  EXPECT_EQ(dataset.size(), 167130);
  EXPECT_GT(dataset.report.cut_target.count, 0);
}

}  // namespace
}  // namespace attend::data
