#include "attend/text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "attend/text/escape.h"

namespace attend::text {
namespace {

using testing::HasSubstr;

constexpr char kMarks[] = "<unk>\n<pad>\n<bos>\n<eos>\n";

Vocabulary sample(const Vocabulary::Options& options = {}) {
  return Vocabulary::build({{"b", "a", "c"}, {"b", "a", "d"}, {"b"}}, options);
}

TEST(Vocabulary, OrdersByFrequencyThenBytes) {
  EXPECT_EQ(sample().serialize(), std::string(kMarks) + "b\na\nc\nd\n");
  EXPECT_EQ(sample().id("b"), 4);
  EXPECT_EQ(sample().id("d"), 7);
  EXPECT_EQ(sample().token(5), "a");
  EXPECT_EQ(sample().size(), 8);
}

TEST(Vocabulary, LeavesOutTheRareAndTheRest) {
  EXPECT_EQ(sample({.min_frequency = 2}).serialize(), std::string(kMarks) + "b\na\n");
  EXPECT_EQ(sample({.max_size = 7}).serialize(), std::string(kMarks) + "b\na\nc\n");
  EXPECT_EQ(sample({.min_frequency = 3, .max_size = 7}).size(), 5);
  EXPECT_EQ(sample({.min_frequency = 99}).size(), 4);
  EXPECT_EQ(sample({.min_frequency = 2}).id("c"), 0);
  EXPECT_FALSE(sample({.min_frequency = 2}).contains("c"));
}

TEST(Vocabulary, RefusesBadOptionsAndTokens) {
  EXPECT_THROW(sample({.min_frequency = 0}), InvalidArgument);
  EXPECT_THROW(sample({.max_size = 4}), InvalidArgument);
  EXPECT_THROW(sample({.max_size = -1}), InvalidArgument);
  EXPECT_THROW(Vocabulary::build({{""}}, {}), InvalidArgument);
  EXPECT_THROW(Vocabulary::build({{"\xff"}}, {}), InvalidArgument);
}

TEST(Vocabulary, NoTextForgesAMark) {
  const Vocabulary v = Vocabulary::build({{"<eos>", "a", "<unk>", "<eos>"}}, {});
  EXPECT_EQ(v.size(), 7);
  EXPECT_EQ(v.id("<eos>"), 4);
  EXPECT_EQ(v.id("<unk>"), 5);
  EXPECT_EQ(v.token(4), "<eos>");
  EXPECT_EQ(v.token(v.special().end), "<eos>");
  EXPECT_TRUE(v.contains("<unk>"));
  EXPECT_FALSE(v.contains("<bos>"));
  EXPECT_EQ(v.id("<bos>"), v.special().unknown);
  EXPECT_EQ(v.serialize(), std::string(kMarks) + "\\x3Ceos>\n\\x3Cunk>\na\n");
  const Vocabulary again = Vocabulary::parse(v.serialize(), "v");
  EXPECT_EQ(again.serialize(), v.serialize());
  EXPECT_EQ(again.id("<eos>"), 4);
}

// Its backslash is a character of the text.
TEST(Vocabulary, KeepsAWordThatLooksEscaped) {
  const Vocabulary v = Vocabulary::build({{"\\x3Ceos>", "<eos>"}}, {});
  const Vocabulary again = Vocabulary::parse(v.serialize(), "v");
  EXPECT_EQ(again.id("\\x3Ceos>"), v.id("\\x3Ceos>"));
  EXPECT_EQ(again.id("<eos>"), v.id("<eos>"));
  EXPECT_NE(again.id("<eos>"), again.id("\\x3Ceos>"));
}

TEST(Vocabulary, KnowsItsRange) {
  EXPECT_THROW(sample().token(-1), InvalidArgument);
  EXPECT_THROW(sample().token(8), InvalidArgument);
  EXPECT_EQ(Vocabulary().size(), 4);
}

// Control characters, other line ends and blanks must not break the file's lines.
TEST(Vocabulary, RoundTripsOddTokens) {
  const std::vector<std::string> odd = {
      "a\tb",   "\u0083", "\u0085", "\n",  "\r", "x\r", "\\", "\\n",  "\u2028", " ",
      "\u00a0", "\u200b", "\ufeff", "été", "|",  "#",   "\"", "\x7f", "👍"};
  const Vocabulary v = Vocabulary::build({odd}, {});
  const std::string text = v.serialize();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), v.size());
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\t'), std::string::npos);
  const Vocabulary again = Vocabulary::parse(text, "v");
  EXPECT_EQ(again.serialize(), text);
  for (const std::string& token : odd) {
    EXPECT_EQ(again.id(token), v.id(token));
    EXPECT_TRUE(again.contains(token));
  }
  // Also when an editor has made CRLF of the ends.
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(Vocabulary::parse(crlf, "v").serialize(), text);
}

TEST(Vocabulary, EscapesAreReadable) {
  EXPECT_EQ(escape_token("a\tb\\\n"), "a\\tb\\\\\\n");
  EXPECT_EQ(escape_token("\u0085"), "\\xC2\\x85");
  EXPECT_EQ(escape_token("été|«"), "été|«");
  std::string out;
  EXPECT_TRUE(unescape_token("\\xc2\\x85", out));
  EXPECT_EQ(out, "\u0085");
  for (const char* bad : {"\\", "\\x", "\\x1", "\\xg0", "\\q", "a\\"})
    EXPECT_FALSE(unescape_token(bad, out)) << bad;
}

void expect_refused(const std::string& text, int64_t line, const std::string& message) {
  try {
    Vocabulary::parse(text, "m/target.vocab");
    FAIL() << "accepted: " << text;
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), "m/target.vocab");
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST(Vocabulary, RefusesADamagedFile) {
  const std::string marks = kMarks;
  expect_refused("", 0, "found 0 lines");
  expect_refused("<unk>\n<pad>\n", 0, "found 2 lines");
  expect_refused("<unk>\n<bos>\n<pad>\n<eos>\n", 2, "<pad> was expected");
  expect_refused("<pad>\n<bos>\n<eos>\na\n", 1, "<unk> was expected");  // the first line removed
  expect_refused(marks + "a\n\nb\n", 6, "empty line");
  expect_refused(marks + "a\nb\na\n", 7, "first on line 5");
  expect_refused(marks + "a\n<eos>\n", 6, "as a word of the text it is written \\x3Ceos>");
  expect_refused("\\x3Cunk>\n<pad>\n<bos>\n<eos>\n", 1, "<unk> was expected");
  expect_refused(marks + "a\\q\n", 5, "bad escape");
  expect_refused(marks + "a\\xFF\n", 5, "invalid UTF-8");
  expect_refused(marks + "caf\xe9\n", 5, "invalid UTF-8");
}

}  // namespace
}  // namespace attend::text
