// Words aligned by hand, and the maps that are stored of them.
#include "attend/lessons/alignment.h"

#include <gmock/gmock.h>

#include <cstdio>

#include "attend/core/errors.h"
#include "attend/core/files.h"

namespace attend::lessons {
namespace {

using ::testing::HasSubstr;

AlignedPair bike() {
  return parse_aligned("a red bike .\tun vélo rouge .\t0-0 1-2 2-1\n", "test").front();
}

TEST(Alignment, ReadsPairsAndSortsTheirLinks) {
  const AlignedPair pair = bike();
  EXPECT_EQ(pair.source_text(), "a red bike .");
  EXPECT_EQ(pair.target_text(), "un vélo rouge .");
  ASSERT_EQ(pair.links.size(), 3u);
  EXPECT_EQ(pair.links[1].source, 2u);
  EXPECT_EQ(pair.links[1].target, 1u);
  EXPECT_TRUE(pair.crosses());
  EXPECT_FALSE(parse_aligned("a b\tc d\t0-0 1-1", "test").front().crosses());
}

TEST(Alignment, NamesTheLineOfWhatItCantRead) {
  for (const char* bad : {"a b", "a\tb\t0-1", "a\tb\t1-0", "a\tb\t0", "a\tb\t0-", "a\tb\tx-0",
                          "a\tb\t0-0-0", "a\tb\t-1-0", "a\tb\t0-0\tmore"}) {
    try {
      parse_aligned(std::string("a\tb\t0-0\n") + bad, "pairs.tsv");
      ADD_FAILURE() << bad;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("pairs.tsv:2")) << bad;
    }
  }
}

// un looks at a, vélo at the full stop, rouge at red: shifts of 0, 1 and 0.
const render::MapPanel kLate{
    "",
    "cross",
    0,
    0,
    {"un", "vélo", "rouge", ".", "<eos>"},
    {"a", "red", "bike", ".", "<eos>"},
    {.6F, .4F, 0,   0,   0,  //
     0,   .1F, .3F, .5F, .1F, 0, .7F, .2F, .1F, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}};

TEST(Alignment, ScoresTheStrongestWeight) {
  AlignmentScore score;
  score.add(kLate, bike());
  EXPECT_EQ(score.words(), 3);
  EXPECT_EQ(score.right(), 2);
  EXPECT_NEAR(score.shift(), 1.0 / 3, 1e-12);
  EXPECT_NEAR(score.weight(), (.6 + .3 + .7) / 3, 1e-6);
  EXPECT_EQ(score.crossing(), 1);
  EXPECT_EQ(score.stepped_back(), 1);
  score.add(kLate, bike(), {"a", "vélo"});  // two words that the model does not know
  EXPECT_EQ(score.words(), 4);
  render::MapPanel pieces = kLate;
  pieces.columns = {"a", "red", "bi", "ke", "."};
  score.add(pieces, bike());  // bike is not there, a and red are
  EXPECT_EQ(score.words(), 6);
  EXPECT_EQ(AlignmentScore().shift(), 0);
}

TEST(Alignment, TheStoredMapsAreOfTheStoredSentences) {
  const auto& pairs = aligned_pairs();
  EXPECT_GE(pairs.size(), 10u);
  const std::string readme = core::read_file(ATTEND_SOURCE_DIR "/data/alignments/README.md");
  size_t links = 0;
  for (const auto& pair : pairs) links += pair.links.size();
  for (const char* name : {"aligned-one-way", "aligned-both-ways"}) {
    const render::AttentionMap maps = stored_maps(name);
    ASSERT_EQ(maps.panels.size(), pairs.size()) << name;
    AlignmentScore score;
    for (size_t i = 0; i < pairs.size(); ++i) score.add(maps.panels[i], pairs[i]);
    EXPECT_EQ(score.words(), static_cast<int64_t>(links)) << name;
    const bool both = std::string(name) == "aligned-both-ways";
    char row[100];
    std::snprintf(row, sizeof row, "| 20,000 pairs, %s | %d | %d | %.2f |",
                  both ? "both ways" : "one way", static_cast<int>(score.words()),
                  static_cast<int>(score.right()), score.shift());
    EXPECT_THAT(readme, HasSubstr(row));
  }
}

// A score of so many words, each `shift` late.
AlignmentScore late_by(size_t shift) {
  AlignmentScore score;
  render::MapPanel panel{"", "cross", 0, 0, {"c"}, {"a", "b", "<eos>"}, {0, 0, 0}};
  panel.weights[shift] = 1;
  score.add(panel, parse_aligned("a b\tc\t0-0", "test").front());
  return score;
}

TEST(Alignment, TheConclusionIsOfTheRun) {
  const AlignmentScore late = late_by(2), exact = late_by(0), none;
  EXPECT_THAT(alignment_finding(late, late_by(1), exact).en, HasSubstr("+2.00 words"));
  EXPECT_THAT(alignment_finding(late, late_by(1), exact).en, HasSubstr("it looks late"));
  EXPECT_THAT(alignment_finding(exact, late_by(1), exact).en, HasSubstr("neither late nor early"));
  EXPECT_THAT(alignment_finding(exact, late_by(1), exact).en, HasSubstr("for 1.00 of that"));
  EXPECT_THAT(alignment_finding(exact, late_by(2), late_by(1)).en, HasSubstr("for 1.00 of that"));
  EXPECT_THAT(alignment_finding(exact, exact, late_by(1)).en, HasSubstr("is not why"));
  EXPECT_THAT(alignment_finding(none, late_by(1), exact).en, HasSubstr("knows none"));
}

}  // namespace
}  // namespace attend::lessons
