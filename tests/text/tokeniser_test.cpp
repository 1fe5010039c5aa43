#include "attend/text/tokeniser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Tokeniser> first_word() { return make_word_tokeniser(TextVersion::kFirst); }

// Tokens without their ties.
std::vector<std::string> words(std::string_view text) {
  const auto word = make_word_tokeniser();
  std::vector<std::string> surfaces;
  for (const std::string& token : word->split(text)) surfaces.push_back(word->surface(token));
  return surfaces;
}

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
  EXPECT_THAT(words("J'ai, l’été -dit-il-"), ElementsAre("J'ai", ",", "l’été", "-", "dit-il", "-"));
  EXPECT_THAT(words("'tis rock'n'roll, boys'"),
              ElementsAre("'", "tis", "rock'n'roll", ",", "boys", "'"));
  EXPECT_THAT(words("a--b it''s"), ElementsAre("a", "-", "-", "b", "it", "'", "'", "s"));
  EXPECT_THAT(words("col·lecció ·"), ElementsAre("col·lecció", "·"));
}

TEST(WordTokeniser, MakesEveryOtherMarkAToken) {
  EXPECT_THAT(words("(Well...) \"no\"!?"),
              ElementsAre("(", "Well", ".", ".", ".", ")", "\"", "no", "\"", "!", "?"));
  EXPECT_THAT(words("«Oui»a|b_c"), ElementsAre("«", "Oui", "»", "a", "|", "b", "_", "c"));
}

TEST(WordTokeniser, KeepsNumbersWhole) {
  EXPECT_THAT(words("1,000.50 3.x .5 7."),
              ElementsAre("1,000.50", "3", ".", "x", ".", "5", "7", "."));
  EXPECT_THAT(words("10th covid-19 A4"), ElementsAre("10th", "covid-19", "A4"));
}

TEST(WordTokeniser, KeepsCombiningMarksWithTheirLetter) {
  EXPECT_THAT(words("cafe\u0301 a\u200db x"), ElementsAre("cafe\u0301", "a\u200db", "x"));
  EXPECT_THAT(words("👍\U0001F3FD!\ufe0f"), ElementsAre("👍\U0001F3FD", "!\ufe0f"));
}

// Unicode Standard Annex #29, by hand: a skin colour, two flags, a family, a keycap, Hangul jamo.
TEST(WordTokeniser, TearsNoCharacterAsPeopleSeeIt) {
  EXPECT_THAT(words("👍🏽 🇫🇷🇩🇪 👩‍👧 1️⃣ \u1112\u1161\u11ab"),
              ElementsAre("👍🏽", "🇫🇷", "🇩🇪", "👩‍👧", "1️⃣", "\u1112\u1161\u11ab"));
}

TEST(WordTokeniser, SurvivesWhatIsNoText) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split(""), IsEmpty());
  EXPECT_THAT(word->split("\u202f "), IsEmpty());
  EXPECT_THAT(word->split("\u200b"), ElementsAre("\u200b"));
  EXPECT_THAT(word->split("-"), ElementsAre("-"));
  EXPECT_THAT(words("\x01"
                    "a"),
              ElementsAre("\x01", "a"));
}

// Marks take the ties; of two the second, unless the first opens.
TEST(WordTokeniser, ShowsWhereNoBlankStood) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split("10:30, (no)."),
              ElementsAre("10", "‿:‿", "30", "‿,", "(‿", "no", "‿)", "‿."));
  EXPECT_THAT(word->split("said 'hello' !"), ElementsAre("said", "'‿", "hello", "‿'", "!"));
  EXPECT_THAT(word->split("C# a - b"), ElementsAre("C", "‿#", "a", "-", "b"));
  EXPECT_EQ(word->join({"C", "‿#"}), "C#");
  EXPECT_EQ(word->join({"souvent", "?"}), "souvent ?");
  EXPECT_EQ(word->join({"‿.", "a", "(‿"}), ". a (");  // from a model, whatever it writes
  EXPECT_EQ(word->join({"‿", "a", "‿‿", "b"}), "ab");
  EXPECT_EQ(word->surface("‿:‿"), ":");
}

TEST(WordTokeniser, GivesBackWhatWasWritten) {
  const auto word = make_word_tokeniser();
  for (const char* text : {"10:30",
                           "said 'hello'",
                           "C# cost",
                           "col·lecció",
                           "va !",
                           "« Oui »",
                           "«Oui»",
                           "\"A\" \"b\"",
                           "a - b -c d- --e",
                           "$5 #1 5% 5 %",
                           "a/b http://x.org/?q=1&r=2#z",
                           "...no",
                           "-",
                           "'",
                           "¿Qué? ¡No!",
                           "日本語。「はい」",
                           "a\\b \\ c",
                           "👍🏽🇫🇷!",
                           "",
                           "x_y __z__ [1](2){3}",
                           "a\u0301 \u0301b",
                           "\u0600\u203f 1\u203f2"})
    EXPECT_EQ(word->join(word->split(text)), text);
}

// Text that looks like what tokens show is text.
TEST(WordTokeniser, SpellsTies) {
  const auto word = make_word_tokeniser();
  EXPECT_THAT(word->split("a‿b ‿"), ElementsAre("a", "‿\\u203F‿", "b", "\\u203F"));
  EXPECT_EQ(word->surface("‿\\u203F‿"), "‿");
  for (const char* text : {"‿", "‿‿", "a‿b", "a ‿ b", "\\‿", "\\u203F", "‿u203F", "\\u203f‿", "(‿)",
                           "‿\u0301", "<unk> ‿<eos>‿"})
    EXPECT_EQ(word->join(word->split(text)), text);
}

TEST(FirstWordTokeniser, CutsByCodePointsWithoutTies) {
  EXPECT_THAT(first_word()->split("👍🏽, col·lecció"),
              ElementsAre("👍", "🏽", ",", "col", "·", "lecció"));
  EXPECT_EQ(first_word()->surface("‿,"), "‿,");
}

TEST(FirstWordTokeniser, JoinsAsEnglishIsWritten) {
  const auto word = first_word();
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
  EXPECT_THAT(character->split("e\u0301👍🏽🇫🇷"), ElementsAre("e\u0301", "👍🏽", "🇫🇷"));
  EXPECT_THAT(character->split("a▁ \\"), ElementsAre("a", "\\u2581", "▁", "\\"));
  EXPECT_EQ(character->surface("▁"), " ");
  for (const char* text : {"", "a", "va ! né", "👍 ok", "a | b", "▁", "a▁b", "▁▁ ▁", "\\u2581",
                           "\\▁", "▁\u0301 \u0301", "\u0600 \u0600▁", "<eos>"})
    EXPECT_EQ(character->join(character->split(text)), text);
}

TEST(CharacterTokeniser, VersionOneCutsByCodePoints) {
  const auto character = make_character_tokeniser(TextVersion::kFirst);
  EXPECT_THAT(character->split("e\u0301▁ a"), ElementsAre("e", "\u0301", "▁", "▁", "a"));
  EXPECT_EQ(character->join({"e", "\u0301", "▁", "▁", "a"}), "e\u0301  a");
}

}  // namespace
}  // namespace attend::text
