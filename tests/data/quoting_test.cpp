#include "attend/data/quoting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "attend/data/corpus.h"
#include "attend/data/doctor.h"
#include "attend/data/text_bytes.h"

namespace attend::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<int64_t> quoted_lines(std::string_view text) {
  std::vector<int64_t> lines;
  QuoteWatch watch;
  LineWalker walker(text);
  for (std::string_view line; walker.next(line);)
    if (const int64_t begun = watch.add(line, walker.number())) lines.push_back(begun);
  return lines;
}

TEST(QuoteWatch, FindsCellsWithLineFeeds) {
  EXPECT_THAT(quoted_lines("\"line one\nline two\"\t\"Ligne une\nligne deux\"\n"),
              ElementsAre(1, 2));
  EXPECT_THAT(quoted_lines("a\tb\nGo.\t\"Va\n!\"\nc\td\n"), ElementsAre(2));
  EXPECT_THAT(quoted_lines("a\tb\n\"one\ntwo\nthree\"\tx\n"), ElementsAre(2));
  EXPECT_THAT(quoted_lines("a\tb\tc\nx\t\"y\nz\"\tw\n"), ElementsAre(2));
}

TEST(QuoteWatch, FindsDoubledQuotes) {
  EXPECT_THAT(quoted_lines("\"He said \"\"hi\"\".\"\tx\n"), ElementsAre(1));
  EXPECT_THAT(quoted_lines("x\t\"\"\"Hi\"\", he said.\"\n"), ElementsAre(1));
}

TEST(QuoteWatch, LeavesOrdinaryQuotesAlone) {
  EXPECT_THAT(quoted_lines("\"Go!\"\t\"Va !\"\n"), IsEmpty());
  EXPECT_THAT(quoted_lines("\"Go!\" and \"come!\"\tx\n"), IsEmpty());
  EXPECT_THAT(quoted_lines("\"\"\t\"\"\n"), IsEmpty());
  EXPECT_THAT(quoted_lines("\"Why ?\"\"So.\"\tx\n"), IsEmpty());
  // A quotation over two sentences, all columns there.
  EXPECT_THAT(quoted_lines("\"Go.\t\"Va.\nCome.\"\tViens.\"\n"), IsEmpty());
  EXPECT_THAT(quoted_lines("5\" wide\tx\nno tab\n6\"\ty\n"), IsEmpty());
}

TEST(QuoteWatch, IsHeardByReaderAndDoctor) {
  const std::string text = "\"line one\nline two\"\t\"Ligne une\nligne deux\"\nGo.\tVa !\n";
  const Corpus corpus = parse_pairs(text, "p");
  EXPECT_THAT(corpus.report.quoted.lines, ElementsAre(1, 2));
  EXPECT_THAT(corpus.report.text(), HasSubstr("cells quoted as spreadsheets do"));
  const Findings findings = examine_pairs_bytes(text, "p");
  ASSERT_NE(findings.find("spreadsheet-quotes"), nullptr);
  EXPECT_EQ(findings.find("spreadsheet-quotes")->count, 2);
  EXPECT_EQ(findings.find("spreadsheet-quotes")->examples[0].line, 1);
  EXPECT_EQ(findings.find("spreadsheet-quotes")->examples[0].text,
            "a cell that begins here and ends on line 2");
  EXPECT_TRUE(findings.need_care());
  const Findings two = examine_parallel_bytes("\"a \"\"b\"\" c\"\nx\n", "s", "\"one\ntwo\"\n", "t");
  ASSERT_NE(two.find("spreadsheet-quotes"), nullptr);
  EXPECT_EQ(two.find("spreadsheet-quotes")->count, 1);
}

TEST(QuoteWatch, FindsNothingInTheRealFile) {
  const std::string path = ATTEND_SHARED_DATA "/fra-eng/fra.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs manythings' fra.txt at " << path;
  EXPECT_THAT(quoted_lines(read_text_bytes(path)), IsEmpty());
}

}  // namespace
}  // namespace attend::data
