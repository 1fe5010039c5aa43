#include "attend/metrics/hints.h"

#include <gmock/gmock.h>

#include "attend/metrics/signature.h"

namespace attend::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

TEST(Hints, TokenisedTextIsScoredAndNamed) {
  const Lines tokenised(101, "this line ends so .");
  const BleuScore score = corpus_bleu(tokenised, tokenised);
  EXPECT_NEAR(score.score, 100.0, 1e-9);
  EXPECT_THAT(score.hints, ElementsAre(HasSubstr("end in \" .\"")));
}

TEST(Hints, TokenizerNoneTakesTokenisedText) {
  const Lines tokenised(101, "this line ends so .");
  BleuOptions options;
  options.tokenizer = Tokenizer::kNone;
  EXPECT_THAT(corpus_bleu(tokenised, tokenised, options).hints, IsEmpty());
}

TEST(Hints, TokenisedTextThatIsMeantHasNone) {
  const Lines tokenised(101, "this line ends so .");
  BleuOptions options;
  options.force = true;
  const BleuScore score = corpus_bleu(tokenised, tokenised, options);
  EXPECT_NEAR(score.score, 100.0, 1e-9);
  EXPECT_THAT(score.hints, IsEmpty());
  EXPECT_EQ(signature(options), signature(BleuOptions()));
}

TEST(Hints, RuleForTokenisedText) {
  Lines lines(400, "A plain line.");
  EXPECT_FALSE(looks_tokenised(lines));
  for (size_t i = 0; i < 99; ++i) lines[i] = "ends so .";
  EXPECT_FALSE(looks_tokenised(lines));
  lines[99] = "ends so .";
  EXPECT_TRUE(looks_tokenised(lines));
  EXPECT_FALSE(looks_tokenised(Lines(9, "a .")));
  EXPECT_TRUE(looks_tokenised(Lines(10, "a .")));
  EXPECT_FALSE(looks_tokenised({}));
}

TEST(Hints, SubwordsAreNoticedAndJoined) {
  EXPECT_TRUE(has_subword_marks("go@@ ing home"));
  EXPECT_TRUE(has_subword_marks("hal@@"));
  EXPECT_TRUE(has_subword_marks("\u2581going \u2581home"));
  EXPECT_FALSE(has_subword_marks("me@@example.com, a@b"));
  EXPECT_EQ(join_subwords("go@@ ing home"), "going home");
  EXPECT_EQ(join_subwords("a b@@"), "a b");
  EXPECT_EQ(join_subwords("\u2581go ing \u2581home ."), "going home.");
  EXPECT_EQ(join_subwords("plain text"), "plain text");
  EXPECT_EQ(join_subwords(""), "");
  const Lines pieces = {"we are go@@ ing home"};
  EXPECT_THAT(corpus_bleu(pieces, pieces).hints, ElementsAre(HasSubstr("subword")));
}

}  // namespace
}  // namespace attend::metrics
