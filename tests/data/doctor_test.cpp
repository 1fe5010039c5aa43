#include "attend/data/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/data/corpus.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Findings examine(std::string_view bytes) { return examine_pairs_bytes(bytes, "p.txt"); }

std::vector<std::string> kinds(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings.findings) out.push_back(finding.kind);
  return out;
}

/// One line in a file of good ones, which alone gives nothing: the kinds that it brings.
std::vector<std::string> kinds_of_line(const std::string& line) {
  return kinds(examine("a\tb\n" + line + "\nc\td\n"));
}

TEST(Doctor, FindsNothingInGoodText) {
  const Findings f = examine("Go.\tVa !\nC'est l'été.\tIt's summer.\tCC-BY\nДа.\tYes.\n");
  EXPECT_THAT(kinds(f), IsEmpty());
  EXPECT_FALSE(f.need_care());
  EXPECT_EQ(f.lines, 3);
  EXPECT_EQ(f.pairs, 3);
  EXPECT_EQ(f.distinct_sources, 3);
  EXPECT_THAT(to_text(f), HasSubstr("Nothing needs care."));
}

TEST(Doctor, TellsWhatIsOddInALine) {
  EXPECT_THAT(kinds_of_line("only"), ElementsAre("one-column"));
  EXPECT_THAT(kinds_of_line(""), ElementsAre("blank-line"));
  EXPECT_THAT(kinds_of_line(" \t "), ElementsAre("blank-line"));
  EXPECT_THAT(kinds_of_line("x\t "), ElementsAre("blank-side"));
  EXPECT_THAT(kinds_of_line("x\ty\tz\tw"), ElementsAre("more-columns"));
  EXPECT_THAT(kinds_of_line("caf\xe9\tx"), ElementsAre("invalid-utf8"));
  EXPECT_THAT(kinds_of_line("caf\ufffd\tx"), ElementsAre("replacement-character"));
  EXPECT_THAT(kinds_of_line("cafÃ©\tx"), ElementsAre("mojibake"));
  EXPECT_THAT(kinds_of_line("itâ€™s\tx"), ElementsAre("mojibake"));
  EXPECT_THAT(kinds_of_line("a &amp; b\tx"), ElementsAre("html-entity"));
  EXPECT_THAT(kinds_of_line("a &#x27;b\tx"), ElementsAre("html-entity"));
  EXPECT_THAT(kinds_of_line("&quot;Go&quot;, he said.\tx"), ElementsAre("html-entity"));
  EXPECT_THAT(kinds_of_line("it&apos;s\tx"), ElementsAre("html-entity"));
  EXPECT_THAT(kinds_of_line("i &apos;m home .\tx"), ElementsAre("moses-escape"));
  EXPECT_THAT(kinds_of_line("x\tl&apos; eau"), ElementsAre("moses-escape"));
  EXPECT_THAT(kinds_of_line("&quot; go ! &quot; he said .\tx"), ElementsAre("moses-escape"));
  EXPECT_THAT(kinds_of_line("a &#124; b\tx"), ElementsAre("moses-escape"));
  EXPECT_THAT(kinds_of_line("well @-@ known\tx"), ElementsAre("moses-escape"));
  EXPECT_THAT(kinds_of_line("i &apos;m &nbsp; home .\tx"), ElementsAre("html-entity"));
  EXPECT_THAT(kinds_of_line("the lo@@ wer\tx"), ElementsAre("cut-words"));
  EXPECT_THAT(kinds_of_line("lo@@\tx"), ElementsAre("cut-words"));
  EXPECT_THAT(kinds_of_line("▁the ▁lo wer\tx"), ElementsAre("cut-words"));
  EXPECT_THAT(kinds_of_line("a @ b, me@@home, a @@ b, a▁b\tx"), IsEmpty());
  EXPECT_THAT(kinds_of_line("AT&T; &#; R&D\tx"), IsEmpty());
  EXPECT_THAT(kinds_of_line("x\ty\r"), ElementsAre("carriage-return"));
  EXPECT_THAT(kinds_of_line("x\rz\ty"), ElementsAre("inner-carriage-return"));
  EXPECT_THAT(kinds_of_line("x\ty\u202f!"), ElementsAre("odd-blank"));
  EXPECT_THAT(kinds_of_line("a\u200bb\tx"), ElementsAre("zero-width"));
  EXPECT_THAT(kinds_of_line("a\ufeffb\tx"), ElementsAre("zero-width"));
  EXPECT_THAT(kinds_of_line("a\u00adb\tx"), ElementsAre("zero-width"));
  // Where text::clean_line drops it.
  EXPECT_THAT(kinds_of_line("\ufeffx\ty"), ElementsAre("inner-byte-order-mark"));
  EXPECT_THAT(kinds_of_line("x\t \ufeffy"), ElementsAre("inner-byte-order-mark"));
  EXPECT_THAT(kinds_of_line("\ufeffa\ufeff\ty"),
              ElementsAre("zero-width", "inner-byte-order-mark"));
  EXPECT_THAT(kinds_of_line("می\u200cخواهم\tx"), IsEmpty());  // the non-joiner spells Persian
  for (const char* end : {"\u2028", "\u2029", "\u0085", "\v", "\f"})
    EXPECT_THAT(kinds_of_line(std::string("a") + end + "b\tx"), ElementsAre("other-line-end"));
  EXPECT_THAT(kinds_of_line("a\x01"
                            "b\tx"),
              ElementsAre("control"));
  EXPECT_THAT(kinds_of_line("a\u0083b\tx"), ElementsAre("control"));
  EXPECT_THAT(kinds_of_line("cafe\u0301\tx"), ElementsAre("not-nfc"));
  EXPECT_THAT(kinds_of_line("capit\u0430l\tx"), ElementsAre("mixed-scripts"));  // a Cyrillic letter
  EXPECT_THAT(kinds_of_line("то-to α x\ty"), IsEmpty());
  EXPECT_THAT(kinds_of_line("the <eos> mark\ty"), ElementsAre("reserved-name"));
  EXPECT_THAT(kinds_of_line("Tom\tTom"), ElementsAre("same-text"));
  EXPECT_THAT(kinds_of_line("a\tb"), ElementsAre("duplicate"));
  EXPECT_THAT(kinds_of_line("a\u00a0\tb"), ElementsAre("odd-blank", "duplicate"));
  EXPECT_THAT(kinds_of_line("a\tB"), ElementsAre("several-targets"));
  std::string words;
  for (int i = 0; i < 101; ++i) words += "w ";
  EXPECT_THAT(kinds_of_line(words + "\tx"), ElementsAre("long-line"));
}

TEST(Doctor, TellsWhatAttendRefuses) {
  EXPECT_THAT(kinds(examine("")), ElementsAre("empty"));
  EXPECT_THAT(kinds(examine("\xff\xfe"
                            "a")),
              ElementsAre("utf-16"));
  EXPECT_THAT(kinds(examine("one\ntwo\n")), ElementsAre("no-columns", "one-column"));
  EXPECT_THAT(kinds(examine("a\t\n")), ElementsAre("no-pairs", "blank-side"));
  EXPECT_THAT(kinds(examine("\n\n")), ElementsAre("no-pairs", "blank-line"));
  const Findings nul = examine(std::string_view("a\tb\nc\0\0\td\n", 10));
  ASSERT_THAT(kinds(nul), ElementsAre("nul"));
  EXPECT_EQ(nul.findings[0].count, 2);
  EXPECT_EQ(nul.findings[0].examples[0].line, 2);
  EXPECT_EQ(nul.findings[0].severity, Severity::kError);
  EXPECT_TRUE(nul.need_care());
  EXPECT_THROW(examine_pairs("/no/such/file"), DataError);
}

TEST(Doctor, FindsAByteOrderMarkOnce) {
  const Findings f = examine("\ufeffa\tb\n");
  EXPECT_THAT(kinds(f), ElementsAre("byte-order-mark"));
  EXPECT_FALSE(f.need_care());
}

// What the catalogue says becomes of a character is what text::clean_line makes of it.
TEST(Doctor, SaysWhatCleaningDoes) {
  const auto clean = [](std::string_view line) { return text::clean_line(line, {}); };
  EXPECT_EQ(clean("caf\xe9"), "caf\ufffd");            // invalid-utf8: makes each U+FFFD
  EXPECT_EQ(clean("caf\ufffd"), "caf\ufffd");          // replacement-character: keeps
  EXPECT_EQ(clean("Ã©"), "ã©");                        // mojibake: keeps
  EXPECT_EQ(clean("a &apos; lo@@"), "a &apos; lo@@");  // entities, escapes, pieces: keeps
  EXPECT_EQ(clean("\ufeffa"), "a");                    // byte-order-mark, inner: drops
  EXPECT_EQ(clean(" \ufeff\ufeffa"), "a");
  EXPECT_EQ(clean("a\ufeffb"), "a\ufeffb");  // zero-width: keeps
  EXPECT_EQ(clean("a\u200bb\u00ad"), "a\u200bb\u00ad");
  EXPECT_EQ(clean("a\rb"), "a b");                               // inner-carriage-return: a blank
  EXPECT_EQ(clean("a\u00a0b\u202fc\u3000d"), "a b c d");         // odd-blank: plain blanks
  EXPECT_EQ(clean("a\u2028b\u0085c\vd"), "a\u2028b\u0085c\vd");  // other-line-end: keeps
  EXPECT_EQ(clean("a\x01"
                  "b"),
            "a\x01"
            "b");                                // control: keeps
  EXPECT_EQ(clean("cafe\u0301"), "cafe\u0301");  // not-nfc: keeps
}

TEST(Doctor, NamesLinesThatEndInCr) {
  const Findings f = examine("Go.\tVa !\rHi.\tSalut !\r");
  EXPECT_THAT(kinds(f), ElementsAre("carriage-return-only"));
  EXPECT_EQ(f.pairs, 2);
  EXPECT_EQ(f.findings[0].count, 2);
  EXPECT_FALSE(f.need_care());
}

// Forty pairs of words that occur once: at text.min_frequency = 2 all of them are unknown.
TEST(Doctor, JudgesTheShareOfRareWords) {
  std::string once, twice;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    once += "one" + n + " two" + n + "\tun" + n + " deux" + n + "\n";
    twice += "one" + n + " one" + n + "\tun" + n + " un" + n + "\n";
  }
  const Findings f = examine(once);
  ASSERT_THAT(kinds(f), ElementsAre("rare-words"));
  EXPECT_THAT(f.findings[0].examples[0].text, HasSubstr("100 % of the source's words"));
  EXPECT_THAT(f.findings[0].examples[0].text, HasSubstr("fewer than 2 times"));
  EXPECT_TRUE(f.need_care());
  EXPECT_THAT(kinds(examine(twice)), IsEmpty());
  // Words and their letters, which no word tokeniser is for: good to know.
  std::string dictionary;
  for (int i = 0; i < 40; ++i) dictionary += "word" + std::to_string(i) + "\tw o r d\n";
  EXPECT_NE(examine(dictionary).find("rare-words"), nullptr);
  EXPECT_FALSE(examine(dictionary).need_care());
  EXPECT_THAT(kinds(examine_pairs_bytes(once, "p", {.min_frequency = 1})), IsEmpty());
}

TEST(Doctor, TellsReadersWhatNeedsCare) {
  EXPECT_EQ(care_text(parse_pairs("Go.\tVa\u202f!\n", "p")), "");
  EXPECT_EQ(care_text(parse_pairs("Go.\tVa !\na &amp; b\tx\ncafÃ©\t&nbsp;\ncaf\xe9\tx\n", "p")),
            "mojibake 1 (first on line 3), html-entity 2 (first on line 2)");
}

TEST(Doctor, CountsOneAsOne) {
  EXPECT_THAT(to_text(examine("a\tb\n")),
              HasSubstr("p.txt: 1 line, 1 pair, 1 distinct source, 1 distinct target\n"));
  EXPECT_THAT(to_text(examine("one\n")), HasSubstr("\n  attend refuses it; "));
}

TEST(Doctor, CountsAllAndShowsSome) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "s" + std::to_string(i) + "\tt\u202f!\n";
  const Findings f = examine_pairs_bytes(text, "p", {.examples = 2});
  const Finding* blank = f.find("odd-blank");
  ASSERT_NE(blank, nullptr);
  EXPECT_EQ(blank->count, 10);
  ASSERT_EQ(blank->examples.size(), 2u);
  EXPECT_EQ(blank->examples[1].line, 2);
  EXPECT_EQ(blank->examples[1].text, "s1 | t<U+202F>!");
  EXPECT_EQ(f.find("zero-width"), nullptr);
  EXPECT_THAT(to_text(f), HasSubstr("info: odd-blank (10)"));
  EXPECT_THAT(to_text(f), HasSubstr("and 8 more"));
}

TEST(Doctor, CountsASourceWithSeveralTargetsOnce) {
  const Findings f = examine("a\t1\na\t2\na\t3\na\t2\nb\t1\n");
  EXPECT_EQ(f.find("several-targets")->count, 1);
  EXPECT_EQ(f.find("duplicate")->count, 1);
  EXPECT_EQ(f.distinct_sources, 2);
  EXPECT_EQ(f.distinct_targets, 3);
}

TEST(Doctor, ComparesTwoFiles) {
  const auto two = [](std::string_view a, std::string_view b) {
    return examine_parallel_bytes(a, "s", b, "t");
  };
  EXPECT_THAT(kinds(two("a\nb\n", "1\n2\n")), IsEmpty());
  const Findings f = two("a\nb\n", "1\n2\n\u200b3\n");
  EXPECT_THAT(kinds(f), ElementsAre("line-counts", "zero-width"));
  EXPECT_EQ(f.findings[0].examples[0].text, "2 lines and 3 lines");
  EXPECT_EQ(f.findings[1].examples[0].line, 3);  // the longer file is looked at to its end
  EXPECT_THAT(kinds(two("", "1\n")), ElementsAre("empty"));
  EXPECT_THAT(kinds(two("a\n\n", "1\n\n")), ElementsAre("blank-line"));
  EXPECT_THAT(kinds(two("a\n\n", "1\n2\n")), ElementsAre("blank-side"));
}

std::string words(int64_t n) {
  std::string out;
  for (int64_t i = 0; i < n; ++i) out += "word ";
  return out;
}

// Files that are shifted by a line have the same number of lines: only the lengths tell.
TEST(Doctor, SuspectsShiftedFiles) {
  const auto build = [](int64_t shift) {
    std::string source, target;
    for (int64_t i = 0; i < 200; ++i) {
      source += std::to_string(i) + " " + words(1 + i * 37 % 23) + "\n";
      target += std::to_string(i) + " " + words(1 + (i + shift) * 37 % 23) + "x\n";
    }
    return examine_parallel_bytes(source, "s", target, "t");
  };
  EXPECT_EQ(build(0).find("lengths-disagree"), nullptr);
  const Findings shifted = build(1);
  ASSERT_NE(shifted.find("lengths-disagree"), nullptr);
  EXPECT_THAT(shifted.find("lengths-disagree")->examples[0].text, HasSubstr("correlation"));
  EXPECT_EQ(shifted.find("length-ratio")->severity, Severity::kWarning);
}

TEST(Doctor, FindsOneLooseTranslation) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "source number " + std::to_string(i) + "\tune cible " + std::to_string(i) + "\n";
  text += "short\t" + words(30) + "\n";
  const Findings f = examine(text);
  ASSERT_NE(f.find("length-ratio"), nullptr);
  EXPECT_EQ(f.find("length-ratio")->count, 1);
  EXPECT_EQ(f.find("length-ratio")->examples[0].line, 201);
  EXPECT_FALSE(f.need_care());
}

TEST(Doctor, SortsBySeverityAndWritesJson) {
  const Findings f = examine_pairs_bytes("a\u202f\tb\nonly\n\n", "d\xff/p.txt");
  EXPECT_THAT(kinds(f), ElementsAre("one-column", "blank-line", "odd-blank"));
  const auto json = nlohmann::json::parse(to_json(f));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("needs_care"), true);
  EXPECT_EQ(json.at("files").at(0), "d\ufffd/p.txt");
  EXPECT_EQ(json.at("lines"), 3);
  EXPECT_EQ(json.at("findings").at(0).at("kind"), "one-column");
  EXPECT_EQ(json.at("findings").at(0).at("severity"), "warning");
  EXPECT_EQ(json.at("findings").at(2).at("examples").at(0).at("text"), "a<U+202F> | b");
}

TEST(Visible, WritesWhatDoesNotShow) {
  EXPECT_EQ(visible("a\u202fb\u200b\x1b[31m"), "a<U+202F>b<U+200B><U+001B>[31m");
  EXPECT_EQ(visible("abcdef", 3), "abc...");
  EXPECT_EQ(visible("abc", 3), "abc");
  EXPECT_EQ(visible("caf\xe9"), "caf\ufffd");
  EXPECT_EQ(visible_around("abcdefgh", 4, 4), "...cd<U+0065>f...");
  EXPECT_EQ(visible_around("abc", 0), "<U+0061>bc");
}

TEST(Doctor, ReadsTheRealFile) {
  const std::string path = ATTEND_SHARED_DATA "/fra-eng/fra.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs manythings' fra.txt at " << path;
  const Findings f = examine_pairs(path);
  EXPECT_EQ(f.pairs, 167130);
  EXPECT_EQ(f.find("one-column"), nullptr);
  EXPECT_EQ(f.find("mixed-scripts")->examples[0].line, 127909);  // a Cyrillic letter in "capital"
  EXPECT_EQ(f.find("zero-width")->count, 4);
}

}  // namespace
}  // namespace attend::data
