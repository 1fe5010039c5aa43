// SentencePiece against Python's package (tools/golden_text.py), and what the models of others
// bring.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/text/codec.h"
#include "attend/text/pipeline.h"
#include "attend/text/sentencepiece_lines.h"

namespace attend::text {
namespace {

using testing::HasSubstr;

std::string golden(const std::string& name) {
  return core::read_file(std::string(ATTEND_TEST_DATA) + "/text/" + name);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

std::string train(const std::vector<std::string>& lines, int64_t size, double coverage = 0) {
  return train_sentencepiece(lines, {.size = size, .coverage = coverage, .side = "source"});
}

std::string refusal(const std::vector<std::string>& lines, int64_t size, double coverage = 0) {
  try {
    train(lines, size, coverage);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

class SentencePieceGolden : public testing::TestWithParam<const char*> {};

TEST_P(SentencePieceGolden, EncodesAndDecodesAsPython) {
  const std::string name = GetParam();
  const auto codec = load_sentencepiece(golden(name + ".spm"), name);
  int64_t compared = 0;
  for (const std::string& line : core::split_lines(golden(name + ".tsv"))) {
    std::vector<std::string> columns = split(line, '\t');
    columns.resize(4);
    std::vector<int32_t> ids;
    for (const std::string& number : split(columns[1], ' ')) ids.push_back(std::stoi(number));
    EXPECT_EQ(codec->encode(columns[0]), ids);
    EXPECT_EQ(codec->decode(ids), columns[3]);
    std::vector<std::string> pieces;
    for (const int32_t id : ids) pieces.push_back(codec->token(id));
    EXPECT_EQ(pieces, split(columns[2], ' '));
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}
INSTANTIATE_TEST_SUITE_P(Models, SentencePieceGolden, testing::Values("pad1", "no_pad", "pad0"));

// Another trainer's marks have other ids: they are read from the model, never assumed.
TEST(SentencePiece, ReadsTheMarksFromTheModel) {
  const SpecialIds no_pad = load_sentencepiece(golden("no_pad.spm"), "m")->special();
  EXPECT_EQ(no_pad.unknown, 0);
  EXPECT_EQ(no_pad.begin, 1);
  EXPECT_EQ(no_pad.end, 2);
  EXPECT_EQ(no_pad.padding, -1);
  const SpecialIds pad0 = load_sentencepiece(golden("pad0.spm"), "m")->special();
  EXPECT_EQ(pad0.padding, 0);
  EXPECT_EQ(pad0.unknown, 1);
}

TEST(SentencePiece, RefusesAModelWithoutAMarkItNeeds) {
  try {
    load_sentencepiece(golden("no_begin.spm"), "m/source.spm");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), "m/source.spm");
    EXPECT_THAT(error.what(), HasSubstr("begin"));
  }
}

TEST(SentencePiece, RefusesDamage) {
  const std::string whole = golden("pad1.spm");
  for (const std::string& bytes : {std::string(), std::string("no model"),
                                   whole.substr(0, whole.size() / 2), whole.substr(7)}) {
    EXPECT_THROW(load_sentencepiece(bytes, "m"), DataError) << bytes.size();
  }
}

// SentencePiece's own checks let some damage through to code that throws: no exception but
// DataError may leave.
TEST(SentencePiece, RefusesOrLoadsEveryMutant) {
  const std::string whole = golden("pad1.spm");
  int refused = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    for (uint64_t k = 0; k <= i % 4; ++k) {
      const uint64_t random = core::combine(i, k);
      bytes[random % bytes.size()] = static_cast<char>(random >> 32);
    }
    try {
      const auto codec = load_sentencepiece(bytes, "m");
      codec->decode(codec->encode("i see the house ."));
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(SentencePiece, TrainsTheSameModelTwice) {
  std::vector<std::string> lines;
  for (int i = 0; i < 300; ++i)
    lines.push_back("line " + std::to_string(i * 7919 % 1000) + " of the text number " +
                    std::to_string(i));
  const std::string first = train(lines, 80);
  EXPECT_EQ(train(lines, 80), first);
  const auto codec = load_sentencepiece(first, "m");
  EXPECT_LE(codec->size(), 80);
  EXPECT_EQ(codec->special().padding, 1);
  for (const std::string& line : lines) EXPECT_EQ(codec->decode(codec->encode(line)), line);
}

// No normalisation: compatibility characters stay what they are.
TEST(SentencePiece, ChangesNoCharacter) {
  const std::vector<std::string> lines(20, "a \u2460 \ufb01n \ufe30 b");
  const auto codec = load_sentencepiece(train(lines, 30), "m");
  EXPECT_EQ(codec->decode(codec->encode(lines[0])), lines[0]);
}

TEST(SentencePiece, WritesUnknownPiecesOnce) {
  const auto codec = load_sentencepiece(train({"a b c a b c", "c b a"}, 20), "m");
  const std::vector<int32_t> ids = codec->encode("a \u0416 b");
  EXPECT_EQ(codec->decode(ids), "a <unk> b");
  EXPECT_FALSE(codec->knows("\u0416"));
  EXPECT_FALSE(codec->knows("<eos>"));
  EXPECT_TRUE(codec->knows("\u2581a"));
  EXPECT_THROW(codec->decode({static_cast<int32_t>(codec->size())}), InvalidArgument);
  EXPECT_THROW(codec->token(-1), InvalidArgument);
}

TEST(SentencePiece, TakesAGivenModel) {
  TextConfig config;
  config.source_tokeniser = TokeniserKind::kSentencePiece;
  config.source_spm = std::string(ATTEND_TEST_DATA) + "/text/no_pad.spm";
  const Pipeline p = Pipeline::build(config, Side::kSource, {"whatever"});
  EXPECT_EQ(p.special().padding, -1);
  EXPECT_EQ(p.hash(), core::fingerprint(golden("no_pad.spm")));
}

// 26 letters, the blank and 4 marks.
TEST(SentencePiece, NamesTheLeastSize) {
  const std::string message = refusal({"abcdefghijklmnopqrstuvwxyz"}, 8);
  EXPECT_EQ(message,
            "[text] expected text.max_vocabulary of 31 or more for the sentencepiece of the source "
            "(27 different characters and 4 marks; 0: 8000), found 8");
  EXPECT_EQ(refusal({"abcdefghijklmnopqrstuvwxyz"}, 30).substr(0, 45), message.substr(0, 45));
  EXPECT_EQ(load_sentencepiece(train({"abcdefghijklmnopqrstuvwxyz"}, 31), "m")->size(), 31);
  EXPECT_THAT(refusal({"a"}, 9, 0.5), HasSubstr("text.character_coverage of 0.98 to 1, or 0"));
}

// SentencePiece's own answer to a few lines is its source file and line.
TEST(SentencePiece, LearnsFromVeryLittle) {
  for (const char* line : {"a", "aa", "a a", "\u0301", "\u200b", "\ufdd0", "\ufffd", "<unk>"}) {
    const auto codec = load_sentencepiece(train({line}, 16), "m");
    EXPECT_EQ(codec->decode(codec->encode(line)), line);
  }
}

std::vector<std::string> numbered_lines(const std::string& word) {
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i)
    lines.push_back("see the line " + std::to_string(i * 7919 % 1000) + " of the " +
                    (i % 2 == 0 ? word : "text") + " in number " + std::to_string(i));
  return lines;
}

// U+2585 stands for unknown characters inside of its trainer, which leaves out lines that hold it.
TEST(SentencePiece, LeavesNoLineOut) {
  const int64_t usual = load_sentencepiece(train(numbered_lines("word"), 200), "m")->size();
  for (const char* word : {"bl\u2585ck", "bl\u2581ck", "<unk>", "<pad>x<bos>"}) {
    const std::vector<std::string> lines = numbered_lines(word);
    const auto codec = load_sentencepiece(train(lines, 200), "m");
    EXPECT_GE(codec->size(), usual - 5) << word;
    for (const std::string& line : lines) EXPECT_EQ(codec->decode(codec->encode(line)), line);
  }
  const auto codec = load_sentencepiece(train({"\u2585 \u2585\u2585"}, 20), "m");  // all of them
  EXPECT_EQ(codec->decode(codec->encode("\u2585 \u2585")), "\u2585 \u2585");
}

// A line above SentencePiece's limit, and a word that is longer than it takes lines by default.
TEST(SentencePiece, LearnsFromLongLines) {
  std::string blanks, none;
  while (blanks.size() <= 1500000) blanks += "qu\u00e9 zebra ";
  while (none.size() <= 20000) none += "xy\u4e2dz";
  blanks.pop_back();
  const auto codec = load_sentencepiece(train({blanks, none}, 40), "m");
  EXPECT_TRUE(codec->knows("\u2581zebra"));
  EXPECT_EQ(codec->decode(codec->encode("zebra xy\u4e2dz")), "zebra xy\u4e2dz");
}

TEST(SentencePiece, CutsTrainingLinesAtBlanks) {
  using testing::ElementsAre;
  EXPECT_THAT(training_lines("ab cd ef", 5), ElementsAre("ab", "cd ef"));
  EXPECT_THAT(training_lines("ab cd ef", 6), ElementsAre("ab cd", "ef"));
  EXPECT_THAT(training_lines("\u00e9\u00e9\u00e9", 3), ElementsAre("\u00e9", "\u00e9", "\u00e9"));
  EXPECT_THAT(training_lines("", 3), testing::IsEmpty());
  EXPECT_THAT(training_lines("a<unk>"), ElementsAre("a<\tunk>"));
}

// One rare letter and one rare digit in 4000 characters: unknown at 0.9995, known by default.
TEST(SentencePiece, KnowsEveryCharacterOfASmallAlphabet) {
  std::vector<std::string> lines(200, "a b c d e f g h i j");
  lines.emplace_back("\u0153 7");
  const auto every = load_sentencepiece(train(lines, 100), "m");
  EXPECT_EQ(every->decode(every->encode("\u0153 7")), "\u0153 7");
  const auto most = load_sentencepiece(train(lines, 100, 0.9995), "m");
  EXPECT_EQ(most->decode(most->encode("\u0153")), "<unk>");
  // Nor where they would leave less than half of the pieces to longer ones.
  const auto few = load_sentencepiece(train(lines, 20), "m");
  EXPECT_EQ(few->decode(few->encode("\u0153")), "<unk>");
}

TEST(SentencePiece, TextThatLooksLikeMarksIsText) {
  std::vector<std::string> lines(30, "a<unk>b <eos> \u2581 c\u2581\u2581 <pad><bos> \\u2581");
  const auto codec = load_sentencepiece(train(lines, 60), "m");
  for (const char* text : {"<unk>", "a <bos>", "\u2581", "a\u2581b \u2581", "\\u2581"})
    EXPECT_EQ(codec->decode(codec->encode(text)), text);
  EXPECT_THAT(codec->tokens("\u2581"), testing::Contains(HasSubstr("\\u2581")));
  EXPECT_EQ(codec->surface("\u2581\\u2581c"), "\u2581c");
  // Models of version 1 take it for a blank, as they were trained.
  const auto first = load_sentencepiece(golden("pad1.spm"), "m", TextVersion::kFirst);
  EXPECT_EQ(first->encode("i\u2581see"), first->encode("i see"));
}

}  // namespace
}  // namespace attend::text
