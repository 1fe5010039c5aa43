#include "attend/metrics/chrf.h"

#include <gmock/gmock.h>

#include "attend/core/errors.h"
#include "attend/metrics/signature.h"
#include "goldens.h"

namespace attend::metrics {
namespace {

using testing::close;
using testing::golden;
using ::testing::HasSubstr;
using testing::message_of;
using Lines = std::vector<std::string>;

ChrfOptions options_of(const nlohmann::json& json) {
  ChrfOptions options;
  options.character_order = json.value("char_order", 6);
  options.word_order = json.value("word_order", 0);
  options.beta = json.value("beta", 2);
  options.lowercase = json.value("lowercase", false);
  options.keep_blanks = json.value("whitespace", false);
  options.epsilon_smoothing = json.value("eps_smoothing", false);
  return options;
}

TEST(Chrf, CorporaEqualSacrebleu) {
  const auto corpora = testing::corpora();
  const auto cases = golden("chrf", "cases");
  ASSERT_GT(cases.size(), 100u);
  for (const auto& expected : cases) {
    const testing::Corpus& corpus = corpora.at(expected.at("corpus"));
    const ChrfOptions options = options_of(expected.at("options"));
    SCOPED_TRACE(expected.at("corpus").get<std::string>() + " " + expected.at("options").dump());
    const ChrfScore found = corpus_chrf_multi(corpus.hypotheses, corpus.references, options);
    EXPECT_TRUE(close(found.score, expected.at("score"))) << found.score;
    EXPECT_EQ(to_text(found), expected.at("text").get<std::string>());
    EXPECT_EQ(signature(options, static_cast<int64_t>(corpus.references.size())),
              expected.at("signature").get<std::string>());
  }
}

TEST(Chrf, SentencesEqualSacrebleu) {
  const auto corpora = testing::corpora();
  ChrfOptions plus_plus;
  plus_plus.word_order = 2;
  for (const auto& expected : golden("sentences", "cases")) {
    const testing::Corpus& corpus = corpora.at(expected.at("corpus"));
    for (size_t i = 0; i < corpus.hypotheses.size(); ++i) {
      Lines references;
      for (const Lines& list : corpus.references) references.push_back(list[i]);
      const double found = sentence_chrf(corpus.hypotheses[i], references, plus_plus).score;
      EXPECT_TRUE(close(found, expected.at("chrf").at(i))) << expected.at("corpus") << i;
    }
  }
}

TEST(Chrf, IsBetweenZeroAndHundred) {
  EXPECT_NEAR(corpus_chrf({"le chat"}, Lines{"le chat"}).score, 100.0, 1e-9);
  EXPECT_EQ(corpus_chrf({"abc"}, Lines{"xyz"}).score, 0.0);
  EXPECT_EQ(corpus_chrf({""}, Lines{"xyz"}).score, 0.0);
  EXPECT_EQ(corpus_chrf({""}, Lines{""}).score, 0.0);
  const double half = corpus_chrf({"le chat noir"}, Lines{"le chat blanc"}).score;
  EXPECT_GT(half, 10.0);
  EXPECT_LT(half, 90.0);
}

TEST(Chrf, NamesItsVariant) {
  ChrfOptions options;
  EXPECT_EQ(corpus_chrf({"a"}, Lines{"a"}, options).name, "chrF2");
  options.word_order = 2;
  EXPECT_EQ(corpus_chrf({"a"}, Lines{"a"}, options).name, "chrF2++");
  EXPECT_EQ(signature(options),
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:attend-0.1.0");
}

TEST(Chrf, RefusesWhatDoesNotFit) {
  EXPECT_THAT(
      message_of<InvalidArgument>([] { corpus_chrf({"a", "b"}, Lines{"a"}); }),
      HasSubstr("[chrf] expected a reference for each hypothesis, found 2 hypotheses and 1"));
  EXPECT_THROW(corpus_chrf({}, Lines{}), InvalidArgument);
  ChrfOptions options;
  options.character_order = 0;
  EXPECT_THAT(message_of<InvalidArgument>([&] { corpus_chrf({"a"}, Lines{"a"}, options); }),
              HasSubstr("character_order from 1 to 100, found 0"));
  options = {};
  options.word_order = -1;
  EXPECT_THROW(chrf_scorer(options), InvalidArgument);
  options = {};
  options.beta = 0;
  EXPECT_THROW(check_options(options), InvalidArgument);
  const std::vector<int64_t> short_row = {1, 2, 3};
  EXPECT_THROW(chrf_of(short_row), InvalidArgument);
}

}  // namespace
}  // namespace attend::metrics
