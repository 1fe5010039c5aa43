#include "attend/core/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kFffd = "\xEF\xBF\xBD";

TEST(Utf8, FindsTheFirstInvalidByte) {
  EXPECT_EQ(find_invalid_utf8(""), std::string::npos);
  EXPECT_EQ(find_invalid_utf8("plain ASCII, more than eight bytes"), std::string::npos);
  EXPECT_EQ(find_invalid_utf8("é€😀\xEF\xBB\xBF\xF4\x8F\xBF\xBF"), std::string::npos);
  EXPECT_EQ(find_invalid_utf8(std::string("a\0b", 3)), std::string::npos);
  EXPECT_EQ(find_invalid_utf8("\xFF"), 0u);
  EXPECT_EQ(find_invalid_utf8("abcdefgh\x80"), 8u);
  EXPECT_EQ(find_invalid_utf8("é\xC3"), 2u);
}

struct Mend {
  std::string text;
  std::string mended;  // '?' stands for U+FFFD
};

// What the WHATWG decoder makes of them (checked against Python's errors="replace", which agrees).
TEST(Utf8, MendsEachMaximalInvalidSequence) {
  const std::vector<Mend> cases = {
      {"", ""},
      {"ok", "ok"},
      {"\xC0\x80", "??"},                // overlong zero
      {"\xE0\x80\x80", "???"},           // overlong in three bytes
      {"\xF0\x80\x80\x80", "????"},      // overlong in four
      {"\xED\xA0\x80", "???"},           // a surrogate
      {"\xED\x9F\xBF", "\xED\x9F\xBF"},  // the last before them
      {"\xC3", "?"},                     // cut short
      {"\xC3(", "?("},
      {"\xE2\x82", "?"},
      {"\xE2\x82z", "?z"},
      {"\xF0\x9F\x98", "?"},
      {"\xF0\x9F\x98\xF0\x9F\x98\x80", "?\xF0\x9F\x98\x80"},
      {"\xF4\x90\x80\x80", "????"},  // beyond U+10FFFF
      {"\xF5\xFF\x80", "???"},
      {"a\xFF"
       "b",
       "a?b"},
      {"12345678\xFF"
       "12345678\xFE",
       "12345678?12345678?"},
  };
  for (const auto& c : cases) {
    std::string expected;
    for (const char byte : c.mended) expected += byte == '?' ? kFffd : std::string(1, byte);
    EXPECT_EQ(mend_utf8(c.text), expected) << ::testing::PrintToString(c.text);
    EXPECT_EQ(find_invalid_utf8(mend_utf8(c.text)), std::string::npos);
    std::string encoded;
    for (const char32_t code_point : decode_utf8(c.text)) append_utf8(encoded, code_point);
    EXPECT_EQ(encoded, expected) << ::testing::PrintToString(c.text);
  }
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    std::string text;
    append_utf8(text, c);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    ASSERT_EQ(decode_utf8(text), std::vector<char32_t>{surrogate ? char32_t{0xFFFD} : c});
    ASSERT_EQ(find_invalid_utf8(text), std::string::npos) << static_cast<uint32_t>(c);
  }
  std::string beyond;
  append_utf8(beyond, 0x110000);
  EXPECT_EQ(beyond, kFffd);
}

TEST(Utf8, EveryPairOfBytesIsJudgedAsTheTableOfUnicodeDoes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      const bool ascii = first < 0x80 && second < 0x80;
      const bool pair = first >= 0xC2 && first <= 0xDF && second >= 0x80 && second <= 0xBF;
      ASSERT_EQ(find_invalid_utf8(text) == std::string::npos, ascii || pair)
          << first << " " << second;
    }
  }
}

TEST(SplitLines, OnlyLineFeedEndsALine) {
  EXPECT_THAT(split_lines(""), IsEmpty());
  EXPECT_THAT(split_lines("\n"), ElementsAre(""));
  EXPECT_THAT(split_lines("a"), ElementsAre("a"));
  EXPECT_THAT(split_lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(split_lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_lines("a\r\nb\r\n"), ElementsAre("a", "b"));
  EXPECT_THAT(split_lines("a\rb\n"), ElementsAre("a\rb"));
  EXPECT_THAT(split_lines("a\r\r\n"), ElementsAre("a\r"));
  // U+2028, U+2029, U+0085, vertical tab, form feed, file and group separators
  const std::string kept = "x\xE2\x80\xA8y\xE2\x80\xA9z\xC2\x85\v\f\x1C\x1D";
  EXPECT_THAT(split_lines("1\n" + kept + "\n3\n"), ElementsAre("1", kept, "3"));
  EXPECT_THAT(split_lines(std::string("a\0b\n", 4)), ElementsAre(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace attend::core
