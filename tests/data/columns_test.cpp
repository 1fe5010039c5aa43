#include "attend/data/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "attend/data/corpus.h"
#include "attend/data/doctor.h"

namespace attend::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseColumns, TakesTwoNumbersFromOne) {
  EXPECT_FALSE(parse_columns(""));
  EXPECT_EQ(parse_columns("2,4")->source, 2);
  EXPECT_EQ(parse_columns("2,4")->target, 4);
  EXPECT_EQ(parse_columns("4,2")->needed(), 4);
  for (const char* bad : {"2", "2,", ",2", "2,2", "0,1", "1,1001", "2;4", "2,4,6", "2,4 ", "-1,2",
                          "a,b", "99999999999999999999,1"})
    EXPECT_THAT(refusal([&] { parse_columns(bad); }), HasSubstr(std::string("found \"") + bad))
        << bad;
}

TEST(CutColumns, CountsFromTheLeft) {
  const auto cells = cut_columns("a\tb\t\td", {2, 4});
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->source, "b");
  EXPECT_EQ(cells->target, "d");
  EXPECT_EQ(cells->columns, 4);
  EXPECT_EQ(cut_columns("a\tb\t\td", {3, 1})->source, "");
  EXPECT_FALSE(cut_columns("a\tb\tc", {2, 4}));
  EXPECT_FALSE(cut_columns("", {1, 2}));
}

TEST(IsHeader, KnowsNamesOfColumns) {
  for (const auto& [a, b] : {std::pair{"english", "french"},

                             {"source", "target"},
                             {"src", "tgt"},
                             {"eng", "fra"},
                             {"en", "fr"},
                             {"en", "de"},
                             {"English words/sentences", "French words/sentences"},
                             {"\"source_text\"", "\"target_text\""},
                             {"german_text", "english_text"}})
    EXPECT_TRUE(is_header(a, b)) << a << " " << b;
  for (const auto& [a, b] : {std::pair{"Go.", "Va !"},
                             {"English", "Anglais"},
                             {"it", "es"},
                             {"french", "french"},
                             {"I speak English", "French"},
                             {"", ""},
                             {"english is fun", "french"}})
    EXPECT_FALSE(is_header(a, b)) << a << " " << b;
}

// From tatoeba: ids beside the sentences.
std::string tatoeba(bool with_second_id) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += std::to_string(1276 + i) + "\tgo ." + (with_second_id ? "\t3091" : "") + "\tva !\n";
  return text;
}

TEST(ParsePairs, RefusesIdsForSentences) {
  EXPECT_EQ(
      refusal([&] { parse_pairs(tatoeba(true), "p"); }),
      "p: the source is a number on every line (1276 on line 1), an id rather than a sentence: "
      "name the columns of source and target, as in --columns 2,4 (--columns 1,2 takes them as "
      "they are)");
  EXPECT_THAT(refusal([&] { parse_pairs(tatoeba(false), "p"); }), HasSubstr("--columns 2,3 "));
  for (const bool second : {true, false}) {
    const Corpus corpus =
        parse_pairs(tatoeba(second), "p", {.columns = Columns{2, second ? 4 : 3}});
    ASSERT_EQ(corpus.pairs.size(), 60u);
    EXPECT_EQ(corpus.pairs[0].source, "go .");
    EXPECT_EQ(corpus.pairs[0].target, "va !");
    EXPECT_EQ(corpus.report.text(), "kept 60 of 60 lines");  // a fourth column is no surprise
    EXPECT_EQ(parse_pairs(tatoeba(second), "p", {.columns = Columns{1, 2}}).pairs[0].source,
              "1276");
  }
}

// Numbers in words are a task of their own; in two columns there is nothing else to take.
TEST(ParsePairs, TakesNumbersThatMayBeMeant) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::to_string(20 + i) + "\ttwenty and some\n";
  const Corpus corpus = parse_pairs(text, "p");
  EXPECT_EQ(corpus.report.text(),
            "kept 10 of 10 lines; the source is a number on every line (20 on line 1)");
  EXPECT_TRUE(corpus.report.has_news());
  EXPECT_EQ(parse_pairs(text + "x\ty\n", "p").report.numbers, "");
  // Too few to tell by.
  EXPECT_EQ(parse_pairs("1\ta\tb\n2\tc\td\n", "p").report.numbers, "");
}

TEST(ParsePairs, LeavesAHeaderOut) {
  const Corpus corpus = parse_pairs("english\tfrench\nGo.\tVa !\n", "p");
  ASSERT_EQ(corpus.pairs.size(), 1u);
  EXPECT_EQ(corpus.pairs[0].line, 2);
  EXPECT_EQ(corpus.report.text(), "kept 1 of 2 lines; left out 1: a header 1 (line 1)");
  // A list of languages has no header.
  EXPECT_EQ(parse_pairs("en\tEnglish\nfr\tFrench\n", "p").pairs.size(), 2u);
  EXPECT_EQ(parse_pairs("Go.\tVa !\nenglish\tfrench\n", "p").pairs.size(), 2u);
  // What we wrote is as it is.
  EXPECT_EQ(parse_pairs("english\tfrench\nGo.\tVa !\n", "p", {.is_ours = true}).pairs.size(), 2u);
  const Corpus two = parse_parallel("english\nGo.\n", "s", "french\nVa !\n", "t");
  EXPECT_EQ(two.pairs.size(), 1u);
  EXPECT_THAT(two.report.header.lines, ElementsAre(1));
  // In the columns that are asked for.
  EXPECT_EQ(parse_pairs("id\tenglish\tfrench\n1\tGo.\tVa !\n", "p", {.columns = Columns{2, 3}})
                .pairs.size(),
            1u);
}

TEST(ParsePairs, SaysHowManyColumnsAreMissing) {
  EXPECT_THAT(refusal([] { parse_pairs("a\tb\nc\td\n", "p", {.columns = Columns{2, 4}}); }),
              HasSubstr("p:1: no line has 4 columns"));
  const Corpus corpus = parse_pairs("1\ta\tb\n2\tc\n", "p", {.columns = Columns{2, 3}});
  EXPECT_THAT(corpus.report.text(), HasSubstr("fewer than 3 columns 1 (line 2)"));
}

TEST(Doctor, JudgesColumnsAsTheReaderDoes) {
  const Findings ids = examine_pairs_bytes(tatoeba(true), "p");
  ASSERT_NE(ids.find("number-column"), nullptr);
  EXPECT_EQ(ids.find("number-column")->severity, Severity::kError);
  EXPECT_THAT(ids.find("number-column")->examples[0].text, HasSubstr("--columns 2,4"));
  EXPECT_EQ(ids.pairs, 0);
  const Findings chosen = examine_pairs_bytes(tatoeba(true), "p", {.columns = Columns{2, 4}});
  EXPECT_EQ(chosen.find("number-column"), nullptr);
  EXPECT_EQ(chosen.find("more-columns"), nullptr);
  EXPECT_EQ(chosen.pairs, 60);
  const Findings header = examine_pairs_bytes("english\tfrench\nGo.\tVa !\n", "p");
  ASSERT_NE(header.find("header"), nullptr);
  EXPECT_EQ(header.pairs, 1);
  EXPECT_FALSE(header.need_care());
}

}  // namespace
}  // namespace attend::data
