#include "attend/render/text_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::render {
namespace {

using testing::ElementsAre;

TEST(TextMetrics, DisplayWidth) {
  const std::pair<const char*, int> cases[] = {
      {"", 0},         {"chat", 4},     {"école", 5}, {"e\u0301cole", 5},        {"今天", 4},
      {"ｆｕｌｌ", 8}, {"ﾊﾝ", 2},       {"👍", 2},    {"👩‍👩‍👧", 2}, {"❤\uFE0F", 2},
      {"🇫🇷", 2},       {"a\u200Bb", 2}, {"한국", 4}};
  for (const auto& [text, width] : cases) EXPECT_EQ(display_width(text), width) << text;
}

TEST(TextMetrics, GraphemesKeepWhatBelongsTogether) {
  EXPECT_THAT(graphemes("e\u0301👩‍👩‍👧a"),
              ElementsAre("e\u0301", "👩‍👩‍👧", "a"));
  EXPECT_THAT(graphemes(""), ElementsAre());
}

TEST(TextMetrics, PrintableShowsControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a␛[31mb");
  EXPECT_EQ(printable(std::string("\0\t\n\x7f", 4)), "␀␉␊␡");
  EXPECT_EQ(printable("a\u202Eb\u2066c"), "abc");  // what turns the direction goes
  EXPECT_EQ(printable("\u0085\xC2"), "\uFFFD\uFFFD");
}

TEST(TextMetrics, CutsBetweenGraphemes) {
  EXPECT_EQ(cut_to_width("extraordinaire", 6), "extra…");
  EXPECT_EQ(cut_to_width("今天早上", 8), "今天早上");
  EXPECT_EQ(cut_to_width("今天早上", 6), "今天…");  // half a sign is none
  EXPECT_EQ(cut_to_width("e\u0301e\u0301e\u0301", 2), "e\u0301…");
  EXPECT_EQ(cut_to_width("abc", 2, "~"), "a~");
  EXPECT_EQ(cut_to_width("abc", 0), "");
  EXPECT_EQ(pad_left("猫", 4), "  猫");
  EXPECT_EQ(pad_right("今天早上", 6), "今天… ");
}

TEST(TextMetrics, EstimateIsAboveTheFontsAdvance) {
  // Advances of DejaVu Sans in ems.
  EXPECT_GE(text_width_em("extraordinaire"), 7.55);
  EXPECT_GE(text_width_em("WWWMMM"), 5.56);
  EXPECT_GE(text_width_em("<eos>"), 3.42);
  EXPECT_GE(text_width_em("今天"), 2.0);
  EXPECT_LE(text_width_em("extraordinaire"), 12);  // and no waste
}

TEST(TextMetrics, Wrap) {
  EXPECT_THAT(wrap("aa bb cc dd", 5, display_width), ElementsAre("aa bb", "cc dd"));
  EXPECT_THAT(wrap("aaaaaaa b", 3, display_width), ElementsAre("aaa", "aaa", "a b"));
  EXPECT_THAT(wrap("今天早上", 4, display_width), ElementsAre("今天", "早上"));
  EXPECT_THAT(wrap("越窄 0，好（甲）", 8, display_width), ElementsAre("越窄 0，", "好（甲）"));
  EXPECT_THAT(wrap("注意abc力", 8, display_width), ElementsAre("注意abc", "力"));
  EXPECT_THAT(wrap("", 4, display_width), ElementsAre(""));
  EXPECT_THAT(wrap("1 token0, 2 token1, 3 token2", 18, display_width),
              ElementsAre("1 token0, 2", "token1, 3 token2"));
}

}  // namespace
}  // namespace attend::render
