#include "attend/data/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/utf8.h"
#include "attend/core/zip.h"
#include "attend/data/text_bytes.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> sources(const Corpus& corpus) {
  std::vector<std::string> out;
  for (const Pair& pair : corpus.pairs) out.push_back(pair.source);
  return out;
}

std::vector<int64_t> lines(const Corpus& corpus) {
  std::vector<int64_t> out;
  for (const Pair& pair : corpus.pairs) out.push_back(pair.line);
  return out;
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

// Newer downloads of manythings have a third column, and a narrow no-break space before "!".
TEST(ParsePairs, TakesTwoOrThreeColumns) {
  const Corpus corpus = parse_pairs("Go.\tVa\u202f!\tCC-BY 2.0 (France)\nHi.\tSalut !\n", "p");
  ASSERT_EQ(corpus.pairs.size(), 2u);
  EXPECT_EQ(corpus.pairs[0].source, "Go.");
  EXPECT_EQ(corpus.pairs[0].target, "Va\u202f!");
  EXPECT_EQ(corpus.pairs[1].target, "Salut !");
  EXPECT_THAT(lines(corpus), ElementsAre(1, 2));
  EXPECT_EQ(corpus.report.more_columns.count, 0);
  EXPECT_EQ(corpus.report.text(), "kept 2 of 2 lines");
}

TEST(ParsePairs, ReportsEveryLineThatGivesNoPair) {
  const Corpus corpus = parse_pairs(
      "a\tb\n"               // 1
      "only one\n"           // 2
      "\n"                   // 3
      "\ta target\n"         // 4
      "a source\t \u00a0\n"  // 5
      " \t \n"               // 6: nothing but blanks
      "caf\xe9\tx\n"         // 7: mended
      "a\tb\tc\td\n"         // 8
      "last\tone",           // 9, without its LF
      "p");
  EXPECT_THAT(lines(corpus), ElementsAre(1, 7, 8, 9));
  EXPECT_EQ(corpus.pairs[1].source, "caf\ufffd");
  const Report& r = corpus.report;
  EXPECT_EQ(r.lines, 9);
  EXPECT_EQ(r.kept, 4);
  EXPECT_THAT(r.one_column.lines, ElementsAre(2));
  EXPECT_THAT(r.blank_line.lines, ElementsAre(3, 6));
  EXPECT_THAT(r.blank_side.lines, ElementsAre(4, 5));
  EXPECT_THAT(r.mended.lines, ElementsAre(7));
  EXPECT_THAT(r.more_columns.lines, ElementsAre(8));
  EXPECT_EQ(r.left_out(), 5);
  EXPECT_EQ(r.kept + r.left_out() + r.not_taken, r.lines);
  EXPECT_EQ(r.text(),
            "kept 4 of 9 lines; left out 5: one column 1 (line 2); a blank side 2 (lines 4, 5); "
            "a blank line 2 (lines 3, 6); kept with a change: invalid UTF-8 mended 1 (line 7); "
            "more than three columns 1 (line 8)");
}

TEST(ParsePairs, OnlyALineFeedEndsALine) {
  const Corpus corpus = parse_pairs("a\u2028b\tc\u0085d\r\ne\vf\tg\fh\n", "p");
  ASSERT_EQ(corpus.pairs.size(), 2u);
  EXPECT_EQ(corpus.pairs[0].source, "a\u2028b");
  EXPECT_EQ(corpus.pairs[0].target, "c\u0085d");  // CR gone
}

TEST(ParsePairs, DropsTheByteOrderMark) {
  EXPECT_EQ(parse_pairs("\ufeffGo.\tVa !\n", "p").pairs[0].source, "Go.");
}

TEST(ParsePairs, LimitTakesTheFirstUsableLines) {
  const std::string text = "a\t1\nbad\nb\t2\nc\t3\n";
  const Corpus corpus = parse_pairs(text, "p", {.limit = 2});
  EXPECT_THAT(sources(corpus), ElementsAre("a", "b"));
  EXPECT_EQ(corpus.report.not_taken, 1);
  EXPECT_EQ(corpus.report.lines, 4);
  EXPECT_EQ(parse_pairs(text, "p", {.limit = 99}).pairs.size(), 3u);
}

std::string numbered(int64_t n) {
  std::string text;
  for (int64_t i = 1; i <= n; ++i) text += std::to_string(i) + "\tx" + std::to_string(i) + "\n";
  return text;
}

TEST(ParsePairs, SampleIsDrawnByTheSeedInTheOrderOfTheFile) {
  const std::string text = numbered(1000);
  const Corpus one = parse_pairs(text, "p", {.sample = 50, .seed = 1});
  EXPECT_EQ(one.pairs.size(), 50u);
  EXPECT_EQ(one.report.not_taken, 950);
  const std::vector<int64_t> drawn = lines(one);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
  EXPECT_GT(drawn.back(), 500);
  EXPECT_EQ(lines(parse_pairs(text, "p", {.sample = 50, .seed = 1})), drawn);
  EXPECT_NE(lines(parse_pairs(text, "p", {.sample = 50, .seed = 2})), drawn);
  EXPECT_LE(lines(parse_pairs(text, "p", {.limit = 60, .sample = 50, .seed = 1})).back(), 60);
  EXPECT_EQ(parse_pairs(text, "p", {.sample = 5000}).pairs.size(), 1000u);
  EXPECT_THROW(parse_pairs(text, "p", {.sample = -1}), InvalidArgument);
}

TEST(ParsePairs, SwapsTheSides) {
  const Corpus corpus = parse_pairs("Go.\tVa !\tCC\n", "p", {.swap = true});
  EXPECT_EQ(corpus.pairs[0].source, "Va !");
  EXPECT_EQ(corpus.pairs[0].target, "Go.");
}

TEST(ParsePairs, RefusesWhatIsNoCorpus) {
  const auto parse = [](std::string_view bytes) {
    return refusal([&] { parse_pairs(bytes, "my.txt"); });
  };
  EXPECT_EQ(parse(""), "my.txt: the file is empty; sentence pairs were expected");
  EXPECT_THAT(parse(std::string_view("a\tb\nc\0d\te\n", 10)), HasSubstr("my.txt:2"));
  EXPECT_THAT(parse(std::string_view("a\tb\nc\0d\te\n", 10)), HasSubstr("binary"));
  EXPECT_THAT(parse(std::string_view("\xff\xfe"
                                     "a\0\t\0",
                                     6)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(parse("\n one\ntwo\n"), HasSubstr("my.txt:2"));
  EXPECT_THAT(parse("\n one\ntwo\n"), HasSubstr("no line has two columns"));
  EXPECT_THAT(parse("a\t\n\tb\nc\n"), HasSubstr("no pair is left"));
  EXPECT_THAT(parse("\n\n"), HasSubstr("no pair is left"));
}

TEST(ParseParallel, PairsLines) {
  const Corpus corpus = parse_parallel("a\nb\r\n\n\nc\td\n", "s", "1\n2\n\n4\n\xff\n", "t");
  EXPECT_THAT(sources(corpus), ElementsAre("a", "b", "c\td"));
  EXPECT_THAT(lines(corpus), ElementsAre(1, 2, 5));
  EXPECT_THAT(corpus.report.blank_line.lines, ElementsAre(3));
  EXPECT_THAT(corpus.report.blank_side.lines, ElementsAre(4));
  EXPECT_THAT(corpus.report.mended.lines, ElementsAre(5));
  EXPECT_EQ(parse_parallel("a\n", "s", "1", "t", {.swap = true}).pairs[0].source, "1");
}

// A line separator in one file must not shift it against the other.
TEST(ParseParallel, OtherLineEndsShiftNothing) {
  const Corpus corpus = parse_parallel("a\nb\u2028\u0085x\nc\n", "s", "1\n2\n3\n", "t");
  EXPECT_EQ(corpus.report.lines, 3);
  EXPECT_EQ(corpus.pairs[2].source, "c");
  EXPECT_EQ(corpus.pairs[2].target, "3");
}

TEST(ParseParallel, RefusesWhatDoesNotFit) {
  const auto parse = [](std::string_view s, std::string_view t) {
    return refusal([&] { parse_parallel(s, "s.en", t, "t.fr"); });
  };
  EXPECT_EQ(
      parse("a\nb\n", "1\n2\n3\n"),
      "s.en: has 2 lines, and t.fr has 3; line n of one has to belong to line n of the other");
  EXPECT_THAT(parse("", "1\n"), HasSubstr("s.en: the file is empty"));
  EXPECT_THAT(parse("a\n", ""), HasSubstr("t.fr: the file is empty"));
  EXPECT_THAT(parse("a\n", std::string_view("\0", 1)), HasSubstr("t.fr:1"));
  EXPECT_THAT(parse("\n\n", "\n1\n"), HasSubstr("no pair is left"));
}

TEST(ParseTextLines, KeepsBlankLinesAndTheOrder) {
  const Lines read = parse_text_lines("\ufeffa\r\n\nb\xff\n\n", "p");
  EXPECT_THAT(read.lines, ElementsAre("a", "", "b\ufffd", ""));
  EXPECT_THAT(read.mended.lines, ElementsAre(3));
  EXPECT_THAT(parse_text_lines("", "p").lines, IsEmpty());
}

TEST(LineWalker, AgreesWithSplitLines) {
  for (const char* text :
       {"", "\n", "a", "a\n", "a\r\nb", "\r\n\r\n", "a\rb\n\r", "\n\nx", "a\r\r\n"}) {
    std::vector<std::string> walked;
    LineWalker walker(text);
    for (std::string_view line; walker.next(line);) walked.emplace_back(line);
    EXPECT_EQ(walked, core::split_lines(text)) << text;
    EXPECT_EQ(count_lines(text), static_cast<int64_t>(walked.size()));
  }
}

// Old Macintosh programs, and some spreadsheets' "text" for them.
TEST(LineWalker, EndsLinesAtCrWhereThereIsNoLf) {
  const Corpus corpus = parse_pairs("Go.\tVa !\rHi.\tSalut !\r\rRun!\tCours !", "p");
  EXPECT_THAT(sources(corpus), ElementsAre("Go.", "Hi.", "Run!"));
  EXPECT_THAT(lines(corpus), ElementsAre(1, 2, 4));
  EXPECT_EQ(corpus.pairs[0].target, "Va !");
  EXPECT_THAT(parse_text_lines("a\rb\r", "p").lines, ElementsAre("a", "b"));
  EXPECT_EQ(parse_parallel("a\rb\r", "s", "1\n2\n", "t").pairs.size(), 2u);
  // Beside line feeds a CR is a blank, and is told of.
  const Corpus mixed = parse_pairs("a\rb\tc\nd\te\r\r\n", "p");
  EXPECT_EQ(mixed.pairs.size(), 2u);
  EXPECT_THAT(mixed.report.inner_cr.lines, ElementsAre(1));
  EXPECT_THAT(mixed.report.text(), HasSubstr("a CR inside a sentence"));
}

class CorpusFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "attend_corpus_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string folder_;
};

TEST_F(CorpusFiles, ReadsManythingsArchive) {
  const std::string zip =
      core::write_zip({{"_about.txt", "about\tthis"}, {"fra.txt", "Go.\tVa !\n"}});
  EXPECT_THAT(sources(read_pairs(write("fra-eng.zip", zip))), ElementsAre("Go."));
  // Told by its bytes, not by its name; what other systems add is passed over.
  const std::string noisy = core::write_zip(
      {{"__MACOSX/._fra.txt", "x"}, {"d/fra.txt", "Go.\tVa !\n"}, {"d/a.pdf", "x"}});
  EXPECT_THAT(sources(read_pairs(write("download", noisy))), ElementsAre("Go."));
}

TEST_F(CorpusFiles, RefusesAnArchiveWithNoTextOrSeveral) {
  const auto read = [&](const std::vector<core::ZipEntry>& entries) {
    return refusal([&] { read_pairs(write("a.zip", core::write_zip(entries))); });
  };
  EXPECT_THAT(read({}), HasSubstr("holds no text"));
  EXPECT_THAT(read({{"_about.txt", "x"}}), HasSubstr("holds no text"));
  EXPECT_THAT(read({{"a.txt", "x"}, {"b.txt", "y"}}), HasSubstr("2 texts"));
  EXPECT_THAT(read({{"a.txt", "x"}, {"b.txt", "y"}}), HasSubstr("a.txt, b.txt"));
  EXPECT_THAT(read({{"a.txt", ""}}), HasSubstr("empty"));
  EXPECT_THAT(
      read({{"train.en", "a"}, {"train.fr", "b"}}),
      HasSubstr("2 files, and one was expected; unpack it and name one, or two as source and "
                "target: train.en, train.fr"));
  EXPECT_THAT(read({{"[Content_Types].xml", "x"}, {"xl/workbook.xml", "x"}}),
              HasSubstr("an Excel workbook (.xlsx): save it as tab-separated text"));
  EXPECT_THAT(read({{"archive/data.pkl", "x"}, {"archive/version", "3"}}),
              HasSubstr("a PyTorch checkpoint"));
  EXPECT_THAT(read({{"a.npy", "x"}}), HasSubstr("NumPy arrays (.npz)"));
  EXPECT_THAT(refusal([&] { read_pairs(write("b.zip", "PK\x03\x04garbage")); }),
              HasSubstr("b.zip"));
}

TEST_F(CorpusFiles, TakesTheOneMemberWhateverItsName) {
  const auto read = [&](const std::vector<core::ZipEntry>& entries) {
    return sources(read_pairs(write("a.zip", core::write_zip(entries))));
  };
  EXPECT_THAT(read({{"FRA.TXT", "Go.\tVa !\n"}}), ElementsAre("Go."));
  EXPECT_THAT(read({{"pairs", "Go.\tVa !\n"}, {"_about.txt", "x"}}), ElementsAre("Go."));
  EXPECT_THAT(read({{"d/", ""}, {"d/train.en-fr", "Go.\tVa !\n"}}), ElementsAre("Go."));
  const std::string inner = core::write_zip({{"fra.txt", "Go.\tVa !\n"}});
  EXPECT_THAT(read({{"fra.zip", inner}}), ElementsAre("Go."));
  std::string deep = inner;
  for (int i = 0; i < 3; ++i) deep = core::write_zip({{"a.zip", deep}});
  EXPECT_THAT(refusal([&] { read_pairs(write("deep.zip", deep)); }),
              HasSubstr("archives within archives"));
}

/// One member of a tar archive, as POSIX has it.
std::string tar_member(const std::string& name, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", bytes.size());
  header.replace(124, 11, size);
  header[156] = type;
  header.replace(257, 5, "ustar");
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

TEST_F(CorpusFiles, ReadsTar) {
  const std::string pairs = tar_member("d/", "", '5') + tar_member("d/fra", "Go.\tVa !\n");
  const std::string end(1024, '\0');
  EXPECT_THAT(sources(read_pairs(write("a.tar", pairs + end))), ElementsAre("Go."));
  const std::string two = tar_member("train.en", "a\n") + tar_member("train.fr", "b\n") + end;
  EXPECT_THAT(refusal([&] { read_pairs(write("b.tar", two)); }),
              HasSubstr("b.tar: the archive holds 2 files"));
  EXPECT_THAT(refusal([&] { read_pairs(write("c.tar", tar_member("a", "x").substr(0, 512))); }),
              HasSubstr("damaged or cut short"));
}

TEST_F(CorpusFiles, NamesForeignFormats) {
  const auto read = [&](std::string_view bytes) {
    return refusal([&] { read_pairs(write("x", bytes)); });
  };
  EXPECT_THAT(read("BZh91AY&SY"),
              HasSubstr("x: this is a bzip2 file, and text was expected: unpack"));
  EXPECT_THAT(read("<!doctype html>\n<p>\tx</p>\n"), HasSubstr("an HTML page"));
  EXPECT_THAT(read("{\"en\": \"Go.\", \"fr\": \"Va !\"}\n"), HasSubstr("looks like JSON"));
  EXPECT_THAT(read("\"Go.\",\"Va !\"\n"), HasSubstr("separated by commas"));
  EXPECT_THAT(read("go . ||| va !\n"), HasSubstr("separated by |||"));
}

TEST_F(CorpusFiles, ReadsGzip) {
  // printf 'Go.\tVa !\n' | gzip -n
  static constexpr unsigned char kGzip[] = {
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x73, 0xcf, 0xd7, 0xe3, 0x0c,
      0x4b, 0x54, 0x50, 0xe4, 0x02, 0x00, 0x6e, 0xcb, 0x72, 0x8d, 0x09, 0x00, 0x00, 0x00};
  const std::string bytes(reinterpret_cast<const char*>(kGzip), sizeof kGzip);
  EXPECT_THAT(sources(read_pairs(write("p.gz", bytes))), ElementsAre("Go."));
  EXPECT_THAT(refusal([&] { read_pairs(write("cut.gz", bytes.substr(0, 20))); }),
              HasSubstr("cut.gz"));
}

TEST_F(CorpusFiles, NamesAMissingFile) {
  EXPECT_THAT(refusal([&] { read_pairs(folder_ + "/none.txt"); }), HasSubstr("none.txt"));
  EXPECT_THAT(refusal([&] { read_parallel(write("s", "a\n"), folder_ + "/none.fr"); }),
              HasSubstr("none.fr"));
  EXPECT_THAT(refusal([&] { read_pairs(folder_); }), HasSubstr(folder_));
}

TEST_F(CorpusFiles, ReadsWhatTheConfigurationNames) {
  DataConfig config;
  EXPECT_THROW(read_training(config, 1), InvalidArgument);
  EXPECT_THAT(read_validation(config).pairs, IsEmpty());
  config.pairs = write("pairs", numbered(20));
  config.limit = 10;
  config.sample = 5;
  config.reverse = true;
  EXPECT_EQ(read_training(config, 1).pairs.size(), 5u);
  EXPECT_EQ(read_training(config, 1).pairs[0].source[0], 'x');
  config.columns = "2,1";
  config.reverse = false;
  EXPECT_EQ(read_training(config, 1).pairs[0].source[0], 'x');
  config.columns = "2;1";
  EXPECT_THROW(read_training(config, 1), InvalidArgument);
  config.columns.clear();
  config.source = config.pairs;
  EXPECT_THROW(read_training(config, 1), InvalidArgument);
  config.target = config.source;
  config.pairs.clear();
  EXPECT_EQ(read_training(config, 1).pairs.size(), 5u);
  config.target.clear();
  EXPECT_THROW(read_training(config, 1), InvalidArgument);
  config.valid_source = write("vs", "a\nb\n");
  EXPECT_THROW(read_validation(config), InvalidArgument);
  config.valid_target = write("vt", "1\n2\n");
  const Corpus valid = read_validation(config);
  ASSERT_EQ(valid.pairs.size(), 2u);
  EXPECT_EQ(valid.pairs[0].source, "a");
  config.columns = "1,2";  // there are no pairs in columns that they could be of
  EXPECT_THROW(read_training(config, 1), InvalidArgument);
}

TEST(DataConfigTable, RoundTrips) {
  DataConfig config;
  config.pairs = "a \"b\".txt";
  config.steps = 50;
  config.valid_share = 0.05;
  std::vector<core::ConfigTable> tables = {describe(config)};
  DataConfig again;
  std::vector<core::ConfigTable> second = {describe(again)};
  core::read_config(core::print_config(tables), "printed.toml", second);
  EXPECT_EQ(again.pairs, config.pairs);
  EXPECT_EQ(again.steps, 50);
  EXPECT_EQ(again.valid_share, 0.05);
  EXPECT_THROW(core::set_config("data.steps=0", second), InvalidArgument);
  EXPECT_THROW(core::set_config("data.valid_share=1", second), InvalidArgument);
}

TEST(PairsText, ReadsBackAsTheSamePairsEitherWayRound) {
  const std::vector<Pair> pairs = {{"go .", "va !", 1}, {"i'm home .", "je suis chez moi .", 2}};
  for (const bool swap : {false, true}) {
    ReadOptions options;
    options.swap = swap;
    const Corpus corpus = parse_pairs(pairs_text(pairs, swap), "pairs", options);
    ASSERT_EQ(corpus.pairs.size(), 2u);
    EXPECT_EQ(corpus.pairs[1].source, "i'm home .");
    EXPECT_EQ(corpus.pairs[1].target, "je suis chez moi .");
  }
  EXPECT_EQ(pairs_text(pairs, true).substr(0, 10), "va !\tgo .\n");
}

// Of two files, where a tab is a blank, not the end of a column.
TEST(PairsText, KeepsTheColumnsWhateverASentenceHolds) {
  const Corpus corpus = parse_parallel("he\tis calm .\nenglish\n12\n", "s",
                                       "il est\rcalme .\nfrench\n\ufeffdouze\n", "t");
  ASSERT_EQ(corpus.pairs.size(), 3u);
  for (const bool swap : {false, true}) {
    const Corpus again =
        parse_pairs(pairs_text(corpus.pairs, swap), "p", {.swap = swap, .is_ours = true});
    ASSERT_EQ(again.pairs.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(text::clean_line(again.pairs[i].source, {}),
                text::clean_line(corpus.pairs[i].source, {}));
      EXPECT_EQ(text::clean_line(again.pairs[i].target, {}),
                text::clean_line(corpus.pairs[i].target, {}));
    }
  }
}

}  // namespace
}  // namespace attend::data
