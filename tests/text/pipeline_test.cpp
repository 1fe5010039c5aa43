#include "attend/text/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/utf8.h"
#include "attend/text/clean.h"
#include "attend/text/tokeniser.h"

namespace attend::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Pipelines : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "attend_text_" + info->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

const std::vector<std::string> kLines = {"Go.", "I'm home.", "I'm here, go!", "Home?", "go home ."};

constexpr TokeniserKind kKinds[] = {TokeniserKind::kSpace, TokeniserKind::kWord,
                                    TokeniserKind::kCharacter, TokeniserKind::kSentencePiece};

TextConfig with(TokeniserKind kind) {
  TextConfig config;
  config.source_tokeniser = kind;
  config.target_tokeniser = kind;
  if (kind != TokeniserKind::kSentencePiece) config.min_frequency = 1;
  config.max_vocabulary = kind == TokeniserKind::kSentencePiece ? 40 : 0;
  return config;
}

TEST_F(Pipelines, WritingAndWrittenApartAreOne) {
  const Pipeline p = Pipeline::build({}, Side::kSource, kLines);
  EXPECT_THAT(p.tokens("I'm home."), ElementsAre("i'm", "home", "."));
  EXPECT_EQ(p.encode("I'm home."), p.encode("i'm  home ."));
  EXPECT_EQ(p.clean("I'm home."), "i'm home .");
  EXPECT_EQ(p.decode(p.encode("Go home!")), "go home <unk>");  // "!" is seen once
  EXPECT_TRUE(p.knows("home"));
  EXPECT_FALSE(p.knows("!"));
}

TEST_F(Pipelines, ABlankLineGivesNothing) {
  for (const auto kind : {TokeniserKind::kSpace, TokeniserKind::kWord, TokeniserKind::kCharacter,
                          TokeniserKind::kSentencePiece}) {
    const Pipeline p = Pipeline::build(with(kind), Side::kSource, kLines);
    EXPECT_THAT(p.encode(""), IsEmpty());
    EXPECT_THAT(p.encode(" \u202f\t"), IsEmpty());
    EXPECT_THAT(p.tokens(""), IsEmpty());
    EXPECT_EQ(p.decode({}), "");
  }
}

TEST_F(Pipelines, DecodeLeavesMarksOutAndTokensOfKeepsThem) {
  const Pipeline p = Pipeline::build(with(TokeniserKind::kSpace), Side::kTarget, kLines);
  const SpecialIds& s = p.special();
  std::vector<int32_t> ids = p.encode("go .");
  ids.insert(ids.begin(), s.begin);
  ids.push_back(s.end);
  ids.push_back(s.padding);
  EXPECT_EQ(p.decode(ids), "go .");
  EXPECT_THAT(p.tokens_of(ids), ElementsAre("<bos>", "go", ".", "<eos>", "<pad>"));
  EXPECT_THROW(p.decode({-1}), InvalidArgument);
  EXPECT_THROW(p.tokens_of({99999}), InvalidArgument);
}

// The rule of the chapter belongs to the space tokeniser: the others split, and join, by
// themselves.
TEST_F(Pipelines, OtherTokenisersUndoTheirSplitting) {
  for (const auto kind :
       {TokeniserKind::kWord, TokeniserKind::kCharacter, TokeniserKind::kSentencePiece}) {
    const Pipeline p = Pipeline::build(with(kind), Side::kSource, kLines);
    EXPECT_EQ(p.decode(p.encode("I'm here, go!")), "i'm here, go!");
  }
}

TEST_F(Pipelines, SavesAndLoads) {
  for (const auto kind : {TokeniserKind::kSpace, TokeniserKind::kWord, TokeniserKind::kCharacter,
                          TokeniserKind::kSentencePiece}) {
    for (const auto side : {Side::kSource, Side::kTarget}) {
      const Pipeline p = Pipeline::build(with(kind), side, kLines);
      p.save(folder_);
      const std::string bytes = core::read_file(folder_ + "/" + file_name(kind, side));
      EXPECT_EQ(p.hash(), core::fingerprint(bytes));
      const Pipeline q = Pipeline::load(with(kind), side, folder_);
      EXPECT_EQ(q.hash(), p.hash());
      EXPECT_EQ(q.vocabulary_size(), p.vocabulary_size());
      for (const std::string& line : kLines) EXPECT_EQ(q.encode(line), p.encode(line));
    }
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/source.vocab"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/target.spm"));
}

TEST_F(Pipelines, LoadingNamesWhatIsWrong) {
  try {
    Pipeline::load({}, Side::kTarget, folder_);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), folder_ + "/target.vocab");
  }
  std::ofstream(folder_ + "/source.vocab") << "<unk>\n<pad>\n<bos>\n<eos>\na\na\n";
  try {
    Pipeline::load({}, Side::kSource, folder_);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("source.vocab:6"));
  }
}

TEST_F(Pipelines, RefusesNoText) {
  EXPECT_THROW(Pipeline::build({}, Side::kSource, {}), InvalidArgument);
  EXPECT_THROW(Pipeline::build({}, Side::kSource, {"", " "}), InvalidArgument);
  EXPECT_THROW(Pipeline::build(with(TokeniserKind::kSentencePiece), Side::kSource, {" "}),
               InvalidArgument);
}

// Marks and what stands for them, as words of the text.
TEST_F(Pipelines, LiteralTextIsNeverAMark) {
  const std::vector<std::string> lines(
      20, "the <unk> a<eos> ▁ b▁c ‿ d‿e <pad> <bos>, \\u2581 ▅ say <eos> \ufdd0");
  for (const auto kind : kKinds) {
    TextConfig config = with(kind);
    if (kind == TokeniserKind::kSentencePiece) config.max_vocabulary = 100;
    config.split_punctuation = kind != TokeniserKind::kSpace;
    Pipeline::build(config, Side::kTarget, lines).save(folder_);
    const Pipeline p = Pipeline::load(config, Side::kTarget, folder_);
    const std::vector<int32_t> ids = p.encode(lines[0]);
    for (const int32_t id : ids) EXPECT_GE(id, 4);
    EXPECT_EQ(p.decode(ids), lines[0]);
    std::vector<int32_t> marked = {p.special().begin};
    marked.insert(marked.end(), ids.begin(), ids.end());
    marked.push_back(p.special().end);
    EXPECT_EQ(p.decode(marked), lines[0]);
  }
}

// A model's folder from before there were versions.
TEST_F(Pipelines, AVocabularyWithoutAVersionKeepsItsRules) {
  TextConfig config = stored_defaults();
  std::vector<core::ConfigTable> tables = {describe(config)};
  core::read_config("[text]\nsource_tokeniser = \"word\"\ntarget_tokeniser = \"character\"\n", "c",
                    tables);
  std::ofstream(folder_ + "/source.vocab") << "<unk>\n<pad>\n<bos>\n<eos>\nσ\n.\n👍\n🏽\nοσ\n";
  std::ofstream(folder_ + "/target.vocab") << "<unk>\n<pad>\n<bos>\n<eos>\ne\n\xcc\x81\n▁\n";
  const Pipeline source = Pipeline::load(config, Side::kSource, folder_);
  EXPECT_THAT(source.encode("Σ. 👍🏽 ΟΣ"), ElementsAre(4, 5, 6, 7, 8));
  EXPECT_EQ(source.decode({4, 5, 8}), "σ. οσ");
  const Pipeline target = Pipeline::load(config, Side::kTarget, folder_);
  EXPECT_THAT(target.encode("e\u0301 ▁"), ElementsAre(4, 5, 6, 6));
  config.version = 3;
  EXPECT_THROW(Pipeline::load(config, Side::kSource, folder_), InvalidArgument);
}

std::string refusal(const TextConfig& config) {
  try {
    Pipeline::build(config, Side::kSource, kLines);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(Pipelines, RefusesKeysWithoutEffect) {
  const auto pieces = with(TokeniserKind::kSentencePiece);
  auto config = with(TokeniserKind::kSpace);
  config.source_spm = "x.spm";
  EXPECT_EQ(refusal(config),
            "[text] text.source_spm would have no effect: text.source_tokeniser is not "
            "\"sentencepiece\"");
  config = pieces;
  config.target_tokeniser = TokeniserKind::kWord;
  config.target_spm = "x.spm";
  EXPECT_THAT(refusal(config), HasSubstr("text.target_spm would have no effect"));
  config = pieces;
  config.min_frequency = 1;
  EXPECT_THAT(refusal(config), HasSubstr("text.min_frequency would have no effect"));
  config.target_tokeniser = TokeniserKind::kWord;  // that it is for
  EXPECT_EQ(refusal(config), "accepted");
  config = pieces;
  config.source_spm = config.target_spm = std::string(ATTEND_TEST_DATA) + "/text/pad1.spm";
  EXPECT_THAT(refusal(config), HasSubstr("text.max_vocabulary would have no effect"));
  config.max_vocabulary = 0;
  EXPECT_EQ(refusal(config), "accepted");
  config.character_coverage = 1.0;
  EXPECT_THAT(refusal(config), HasSubstr("text.character_coverage would have no effect"));
  config = with(TokeniserKind::kWord);
  config.split_punctuation = false;
  EXPECT_THAT(refusal(config), HasSubstr("text.split_punctuation would have no effect"));
  config.target_tokeniser = TokeniserKind::kSpace;
  EXPECT_EQ(refusal(config), "accepted");
}

// detokenise(tokenise(x)) == x of everyday text: what scores over tokens can't see.
TEST_F(Pipelines, GivesBackRealLines) {
  const std::string path = std::string(ATTEND_SHARED_DATA) + "/fra-eng/fra.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs manythings' fra.txt at " << path;
  const auto word = make_word_tokeniser();
  const auto character = make_character_tokeniser();
  const auto rules = make_word_tokeniser(TextVersion::kFirst);
  std::ifstream file(path);
  int64_t lines = 0, sides = 0, by_words = 0, by_characters = 0, by_rules = 0;
  for (std::string line; std::getline(file, line);) {
    if (++lines % 20 != 0) continue;
    std::stringstream columns(line);
    std::string text;
    for (int column = 0; column < 2 && std::getline(columns, text, '\t'); ++column) {
      const std::string clean = clean_line(text, {.lowercase = false, .split_punctuation = false});
      ++sides;
      by_words += word->join(word->split(clean)) == clean ? 1 : 0;
      by_characters += character->join(character->split(clean)) == clean ? 1 : 0;
      by_rules += rules->join(rules->split(clean)) == clean ? 1 : 0;
    }
  }
  EXPECT_GT(sides, 1000);
  EXPECT_EQ(by_words, sides);
  EXPECT_EQ(by_characters, sides);
  EXPECT_LT(by_rules, sides);  // version 1: 301,431 of all 334,260
}

TEST_F(Pipelines, IsSafeFromManyThreads) {
  for (const auto kind : {TokeniserKind::kWord, TokeniserKind::kSentencePiece}) {
    const Pipeline p = Pipeline::build(with(kind), Side::kSource, kLines);
    std::vector<std::vector<int32_t>> expected;
    for (const std::string& line : kLines) expected.push_back(p.encode(line));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, copy = p] {
        for (int round = 0; round < 200; ++round)
          for (size_t i = 0; i < kLines.size(); ++i)
            if (copy.encode(kLines[i]) != expected[i] || copy.decode(expected[i]).empty()) ++wrong;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

// The book's chapter on the first 600 pairs: 184 English and 201 French words, marks included.
TEST_F(Pipelines, HasTheChaptersVocabularies) {
  const std::string path = std::string(ATTEND_SHARED_DATA) + "/fra-eng/fra.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs manythings' fra.txt at " << path;
  std::ifstream file(path);
  std::vector<std::string> source, target;
  for (std::string line; source.size() < 600 && std::getline(file, line);) {
    const size_t tab = line.find('\t');
    source.push_back(line.substr(0, tab));
    target.push_back(line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1));
  }
  const Pipeline english = Pipeline::build({}, Side::kSource, source);
  const Pipeline french = Pipeline::build({}, Side::kTarget, target);
  EXPECT_EQ(english.vocabulary_size(), 184);
  EXPECT_EQ(french.vocabulary_size(), 201);
  EXPECT_FALSE(english.knows("he's calm ."));
  EXPECT_EQ(french.decode(french.encode("Je suis chez moi.")), "je suis chez moi .");
}

TEST(TextConfig, DescribesItself) {
  TextConfig config;
  std::vector<core::ConfigTable> tables = {describe(config)};
  core::set_config("text.source_tokeniser=word", tables);
  core::set_config("text.min_frequency=3", tables);
  EXPECT_EQ(config.source_tokeniser, TokeniserKind::kWord);
  EXPECT_EQ(config.target_tokeniser, TokeniserKind::kSpace);
  EXPECT_EQ(config.min_frequency, 3);
  EXPECT_THROW(core::set_config("text.min_frequency=0", tables), InvalidArgument);
  EXPECT_THROW(core::set_config("text.target_tokeniser=bpe", tables), InvalidArgument);
  TextConfig again;
  std::vector<core::ConfigTable> second = {describe(again)};
  core::read_config(core::print_config(tables), "printed.toml", second);
  EXPECT_EQ(again.source_tokeniser, TokeniserKind::kWord);
}

}  // namespace
}  // namespace attend::text
