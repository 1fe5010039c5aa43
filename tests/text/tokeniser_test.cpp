#include "attend/text/tokeniser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SpaceTokeniser, SplitsAtBlanksAlone) {
  const auto space = make_space_tokeniser();
  EXPECT_THAT(space->split("va !"), ElementsAre("va", "!"));
  EXPECT_THAT(space->split("  a  b "), ElementsAre("a", "b"));
  EXPECT_THAT(space->split("a\tb"), ElementsAre("a\tb"));
  EXPECT_THAT(space->split(""), IsEmpty());
  EXPECT_EQ(space->join({"va", "!"}), "va !");
  EXPECT_EQ(space->join({}), "");
}

// A factor separator elsewhere, a plain character here.
TEST(SpaceTokeniser, KeepsBars) {
  EXPECT_THAT(make_space_tokeniser()->split("a | b ||| c"), ElementsAre("a", "|", "b", "|||", "c"));
}

TEST(WordTokeniser, TakesEveryUnicodeBlankForABlank) {
  EXPECT_THAT(make_word_tokeniser()->split("La vois-tu souvent\u202f?"),
              ElementsAre("La", "vois-tu", "souvent", "?"));
  EXPECT_THAT(make_word_tokeniser()->split("a\u3000b\u2028c\u0085d\ve"),
              ElementsAre("a", "b", "c", "d", "e"));
}

TEST(WordTokeniser, KeepsInnerApostrophesAndHyphens) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split("J'ai, l’été -dit-il-"),
              ElementsAre("J'ai", ",", "l’été", "-", "dit-il", "-"));
  EXPECT_THAT(word->split("'tis rock'n'roll, boys'"),
              ElementsAre("'", "tis", "rock'n'roll", ",", "boys", "'"));
  EXPECT_THAT(word->split("a--b it''s"), ElementsAre("a", "-", "-", "b", "it", "'", "'", "s"));
}

TEST(WordTokeniser, MakesEveryOtherMarkAToken) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split("(Well...) \"no\"!?"),
              ElementsAre("(", "Well", ".", ".", ".", ")", "\"", "no", "\"", "!", "?"));
  EXPECT_THAT(word->split("«Oui»a|b_c"), ElementsAre("«", "Oui", "»", "a", "|", "b", "_", "c"));
}

TEST(WordTokeniser, KeepsNumbersWhole) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split("1,000.50 3.x .5 7."),
              ElementsAre("1,000.50", "3", ".", "x", ".", "5", "7", "."));
  EXPECT_THAT(word->split("10th covid-19 A4"), ElementsAre("10th", "covid-19", "A4"));
}

TEST(WordTokeniser, KeepsCombiningMarksWithTheirLetter) {
  EXPECT_THAT(make_word_tokeniser()->split("cafe\u0301 a\u200db x"),
              ElementsAre("cafe\u0301", "a\u200db", "x"));
  EXPECT_THAT(make_word_tokeniser()->split("👍\U0001F3FD!\ufe0f"),
              ElementsAre("👍", "\U0001F3FD", "!\ufe0f"));
}

TEST(WordTokeniser, SurvivesWhatIsNoText) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split(""), IsEmpty());
  EXPECT_THAT(word->split("\u202f "), IsEmpty());
  EXPECT_THAT(word->split("\u200b"), ElementsAre("\u200b"));
  EXPECT_THAT(word->split("-"), ElementsAre("-"));
  EXPECT_THAT(word->split("\x01"
                          "a"),
              ElementsAre("\x01", "a"));
}

TEST(WordTokeniser, JoinsAsEnglishIsWritten) {
  const auto word = make_word_tokeniser();
  for (const char* text : {"I'm home.", "Well, what?", "He said \"no\" (twice) and left.",
                           "It's 1,000.50% or not: no!", "vois-tu", "“So what?” she asked…",
                           "\"A\" \"b\"", "a [b] c"}) {
    EXPECT_EQ(word->join(word->split(text)), text);
  }
  EXPECT_EQ(word->join({"souvent", "?"}), "souvent?");  // French would have a blank
  EXPECT_EQ(word->join({}), "");
}

TEST(CharacterTokeniser, RoundTrips) {
  const auto character = make_character_tokeniser();
  EXPECT_THAT(character->split("né !"), ElementsAre("n", "é", "▁", "!"));
  EXPECT_THAT(character->split(""), IsEmpty());
  for (const char* text : {"", "a", "va ! né", "👍 ok", "a | b"})
    EXPECT_EQ(character->join(character->split(text)), text);
}

}  // namespace
}  // namespace attend::text
