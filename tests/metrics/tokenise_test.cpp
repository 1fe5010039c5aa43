#include "attend/metrics/tokenise.h"

#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/core/lower_case.h"
#include "attend/metrics/unicode.h"
#include "goldens.h"

namespace attend::metrics {
namespace {

using testing::golden;
using ::testing::HasSubstr;
using testing::message_of;

class TokeniseGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TokeniseGolden, EqualsSacrebleuByteForByte) {
  const auto file = golden("tokenise");
  const auto lines = file.at("lines").get<std::vector<std::string>>();
  const auto expected = file.at("tokenised").at(GetParam()).get<std::vector<std::string>>();
  ASSERT_GE(lines.size(), 30u);
  ASSERT_EQ(lines.size(), expected.size());
  const Tokenizer tokenizer = parse_tokenizer(GetParam());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(tokenise(tokenizer, lines[i]), expected[i]) << "line " << i << ": " << lines[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokeniseGolden,
                         ::testing::Values("none", "13a", "intl", "zh", "char"),
                         [](const auto& info) { return "T" + std::string(info.param); });

TEST(Tokenise, NamesRoundTrip) {
  for (const char* name : {"none", "13a", "intl", "zh", "char"}) {
    EXPECT_EQ(tokenizer_name(parse_tokenizer(name)), name);
  }
}

TEST(Tokenise, RefusesByNameWhatItLacks) {
  for (const char* name : {"ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K"}) {
    const auto message = message_of<InvalidArgument>([&] { parse_tokenizer(name); });
    EXPECT_THAT(message, HasSubstr("none, 13a, intl, zh or char")) << name;
    EXPECT_THAT(message, HasSubstr("'" + std::string(name) + "'"));
    EXPECT_THAT(message, HasSubstr("not part of attend"));
  }
  EXPECT_THAT(message_of<InvalidArgument>([] { parse_tokenizer("13A"); }), HasSubstr("unknown"));
  EXPECT_THAT(message_of<InvalidArgument>([] { parse_tokenizer(""); }), HasSubstr("''"));
}

TEST(Tokenise, MendsInvalidUtf8) {
  EXPECT_EQ(tokenise(Tokenizer::kChar, "a\xFF"), "a \uFFFD");
  EXPECT_EQ(tokenise(Tokenizer::k13a, "a\xC3.b"), "a\uFFFD . b");
}

// What sacreBLEU really sets apart for Chinese, by a slip in its table that scores depend on.
TEST(Tokenise, ChineseKeepsSacrebleusRanges) {
  EXPECT_EQ(tokenise(Tokenizer::kZh, "a\u2192b"), "a \u2192 b");
  EXPECT_EQ(tokenise(Tokenizer::kZh, "a\U00020000b"), "a\U00020000b");
}

TEST(Unicode, LowerIsPythons) {
  for (const auto& pair : golden("tokenise", "lower")) {
    const auto text = pair.at(0).get<std::string>();
    EXPECT_EQ(encode(core::lower_case(decode(text))), pair.at(1).get<std::string>()) << text;
  }
}

TEST(Unicode, SplitAndStripTakePythonsBlanks) {
  EXPECT_EQ(encode(squeeze(decode("\u3000a\u00a0\u2003b\x1c"
                                  "c\u0085d\u200be\v"))),
            "a b c d\u200be");
  EXPECT_EQ(encode(strip_right(decode(" a\u00a0\n"))), " a");
  EXPECT_EQ(encode(strip(decode(" a b\t"))), "a b");
  EXPECT_EQ(encode(strip(decode(" \t"))), "");
  EXPECT_TRUE(split(U"").empty());
}

}  // namespace
}  // namespace attend::metrics
