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
  const std::string first = train_sentencepiece(lines, 80);
  EXPECT_EQ(train_sentencepiece(lines, 80), first);
  const auto codec = load_sentencepiece(first, "m");
  EXPECT_LE(codec->size(), 80);
  EXPECT_EQ(codec->special().padding, 1);
  for (const std::string& line : lines) EXPECT_EQ(codec->decode(codec->encode(line)), line);
}

// No normalisation: compatibility characters stay what they are.
TEST(SentencePiece, ChangesNoCharacter) {
  const std::vector<std::string> lines(20, "a \u2460 \ufb01n \ufe30 b");
  const auto codec = load_sentencepiece(train_sentencepiece(lines, 30), "m");
  EXPECT_EQ(codec->decode(codec->encode(lines[0])), lines[0]);
}

TEST(SentencePiece, WritesUnknownPiecesOnce) {
  const auto codec = load_sentencepiece(train_sentencepiece({"a b c a b c", "c b a"}, 20), "m");
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

TEST(SentencePiece, SaysWhyTrainingFails) {
  try {
    train_sentencepiece({"abcdefghijklmnopqrstuvwxyz"}, 6);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("at most 6 pieces"));
  }
}

}  // namespace
}  // namespace attend::text
