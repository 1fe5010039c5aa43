#include "attend/text/clean.h"

#include <gtest/gtest.h>

namespace attend::text {
namespace {

std::string chapter(std::string_view line) { return clean_line(line, {}); }
std::string plain(std::string_view line) {
  return clean_line(line, {.lowercase = false, .split_punctuation = false});
}

TEST(Clean, FollowsTheChapter) {
  EXPECT_EQ(chapter("Go."), "go .");
  EXPECT_EQ(chapter("I'm home."), "i'm home .");
  EXPECT_EQ(chapter("i'm home ."), "i'm home .");
  EXPECT_EQ(chapter("Cours\u202f!"), "cours !");
  EXPECT_EQ(chapter("Va\u00a0!"), "va !");
  EXPECT_EQ(chapter("Well, what?!"), "well , what ? !");
  EXPECT_EQ(chapter("...no"), ". . .no");         // no blank before the first character
  EXPECT_EQ(chapter("3.14; a:b"), "3 .14; a:b");  // the four marks alone
}

// As Python's str.lower() does: the oracle's answers are in metrics' goldens.
TEST(Clean, LowersAsMetricsDo) {
  EXPECT_EQ(chapter("ÉTÉ À L'ŒUVRE"), "été à l'œuvre");
  EXPECT_EQ(chapter("ΜΕΓΑΛΟΣ"), chapter("μεγαλος"));
  EXPECT_EQ(chapter("ΣΊΣΥΦΟΣ Σ."), "σίσυφος σ .");
  EXPECT_EQ(chapter("İ"), "i\u0307");
  EXPECT_EQ(chapter("ДА"), "да");
  EXPECT_EQ(plain("ÉTÉ"), "ÉTÉ");
}

// What was written apart and what is parted here are the same word.
TEST(Clean, LowersWhatItHasParted) {
  EXPECT_EQ(chapter("ΟΔΟΣ.Α"), "οδος .α");
  EXPECT_EQ(chapter("ΟΔΟΣ .Α"), "οδος .α");
  EXPECT_EQ(clean_line("ΟΔΟΣ.Α", {.split_punctuation = false}), "οδοσ.α");  // Python's answer
}

TEST(Clean, LowersLetterByLetterForModelsOfVersionOne) {
  EXPECT_EQ(clean_line("ΣΊΣΥΦΟΣ İ", {.lowercase_by_words = false}), "σίσυφοσ i");
}

TEST(Clean, MakesBlanksAlike) {
  EXPECT_EQ(plain("a\u00a0b\u202fc\u3000d\te"), "a b c d e");
  EXPECT_EQ(plain("  a \u202f  b  "), "a b");
  EXPECT_EQ(plain("a\r"), "a");
  EXPECT_EQ(plain("a\r\nb"), "a b");
  EXPECT_EQ(plain(" \t\u00a0"), "");
  EXPECT_EQ(plain(""), "");
}

TEST(Clean, DropsAByteOrderMarkAndKeepsOtherZeroWidths) {
  EXPECT_EQ(plain("\ufeffgo"), "go");
  EXPECT_EQ(plain(" \ufeff\ufeffgo"), "go");
  EXPECT_EQ(plain("a\ufeffb"), "a\ufeffb");
  EXPECT_NE(plain("a\u200bb"), plain("ab"));  // the doctor reports it
}

TEST(Clean, LeavesOtherLineEndsInTheLine) {
  EXPECT_EQ(plain("a\u2028b\u0085c\vd\fe"), "a\u2028b\u0085c\vd\fe");
}

TEST(Clean, MendsInvalidUtf8) {
  EXPECT_EQ(plain("caf\xe9 noir"), "caf\ufffd noir");
  EXPECT_EQ(plain("\xff"), "\ufffd");
  EXPECT_EQ(plain("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // a surrogate
}

TEST(Clean, TwiceIsOnce) {
  for (const char* line :
       {"Go.", "\ufeff \ufeffA,b", "İI", "...", " ! ?", "\xff,\xff", "ẞSS", "ΟΔΟΣ.ΑΣ,Σ"}) {
    EXPECT_EQ(chapter(chapter(line)), chapter(line)) << line;
  }
}

TEST(Clean, KnowsBlankLines) {
  EXPECT_TRUE(is_blank_line(""));
  EXPECT_TRUE(is_blank_line(" \t\u202f\u00a0\r\n"));
  EXPECT_TRUE(is_blank_line(" \ufeff"));
  EXPECT_FALSE(is_blank_line("\u200b"));
  EXPECT_FALSE(is_blank_line(" . "));
  EXPECT_FALSE(is_blank(U'\u2028'));
}

}  // namespace
}  // namespace attend::text
