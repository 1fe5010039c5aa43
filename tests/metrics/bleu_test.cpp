#include "attend/metrics/bleu.h"

#include <gmock/gmock.h>

#include <limits>

#include "attend/core/errors.h"
#include "attend/metrics/signature.h"
#include "goldens.h"

namespace attend::metrics {
namespace {

using testing::close;
using ::testing::ElementsAre;
using testing::golden;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using Lines = std::vector<std::string>;

BleuOptions options_of(const nlohmann::json& json) {
  BleuOptions options;
  options.tokenizer = parse_tokenizer(json.value("tokenize", "13a"));
  options.lowercase = json.value("lowercase", false);
  options.smoothing = parse_smoothing(json.value("smooth_method", "exp"));
  if (json.contains("smooth_value")) options.smoothing_value = json.at("smooth_value");
  options.max_order = json.value("max_ngram_order", 4);
  options.effective_order = json.value("effective_order", false);
  return options;
}

TEST(Bleu, CorporaEqualSacrebleu) {
  const auto corpora = testing::corpora();
  const auto cases = golden("bleu", "cases");
  ASSERT_GT(cases.size(), 300u);
  for (const auto& expected : cases) {
    const testing::Corpus& corpus = corpora.at(expected.at("corpus"));
    const BleuOptions options = options_of(expected.at("options"));
    SCOPED_TRACE(expected.at("corpus").get<std::string>() + " " + expected.at("options").dump());
    const BleuScore found = corpus_bleu_multi(corpus.hypotheses, corpus.references, options);
    EXPECT_TRUE(close(found.score, expected.at("score"))) << found.score;
    ASSERT_EQ(found.precisions.size(), expected.at("precisions").size());
    for (size_t n = 0; n < found.precisions.size(); ++n) {
      EXPECT_TRUE(close(found.precisions[n], expected.at("precisions").at(n))) << n;
    }
    EXPECT_TRUE(close(found.brevity_penalty, expected.at("bp")));
    EXPECT_EQ(found.hypothesis_length, expected.at("hyp_len").get<int64_t>());
    EXPECT_EQ(found.reference_length, expected.at("ref_len").get<int64_t>());
    if (!expected.at("matches").is_null()) {
      EXPECT_EQ(found.matches, expected.at("matches").get<std::vector<int64_t>>());
      EXPECT_EQ(found.totals, expected.at("totals").get<std::vector<int64_t>>());
    }
    const std::string sign = signature(options, static_cast<int64_t>(corpus.references.size()));
    EXPECT_EQ(sign, expected.at("signature").get<std::string>());
    EXPECT_EQ(to_text(found), expected.at("text").get<std::string>());
    EXPECT_EQ(to_text(found, 4, sign), expected.at("full").get<std::string>());
  }
}

TEST(Bleu, SentencesEqualSacrebleu) {
  const auto corpora = testing::corpora();
  for (const auto& expected : golden("sentences", "cases")) {
    const testing::Corpus& corpus = corpora.at(expected.at("corpus"));
    BleuOptions options;
    options.effective_order = expected.at("effective_order");
    for (size_t i = 0; i < corpus.hypotheses.size(); ++i) {
      Lines references;
      for (const Lines& list : corpus.references) references.push_back(list[i]);
      const double found = sentence_bleu(corpus.hypotheses[i], references, options).score;
      EXPECT_TRUE(close(found, expected.at("bleu").at(i))) << expected.at("corpus") << i;
    }
  }
}

// The rest of this file: public reports about scorers, and what has to hold for any text.

TEST(Bleu, SmoothingExplainsTwoScoresOfOneSentence) {
  const Lines hypothesis = {
      "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"};
  const Lines reference = {"producţia de zahăr brut se exprimă în zahăr alb;"};
  const BleuScore smoothed = corpus_bleu(hypothesis, reference);
  EXPECT_TRUE(close(smoothed.score, 8.493098745313148)) << smoothed.score;
  EXPECT_THAT(to_text(smoothed), HasSubstr("BLEU = 8.49 35.7/15.4/4.2/2.3 ("));
  BleuOptions plain;
  plain.smoothing = Smoothing::kNone;
  EXPECT_EQ(corpus_bleu(hypothesis, reference, plain).score, 0.0);
  EXPECT_NE(signature(plain), signature(BleuOptions()));
}

TEST(Bleu, ShortIdenticalSentencesScoreZeroWithAHint) {
  const BleuScore two = corpus_bleu({"Zhongjian Plaza"}, Lines{"Zhongjian Plaza"});
  EXPECT_EQ(two.score, 0.0);
  EXPECT_THAT(two.hints, ElementsAre(HasSubstr("effective_order")));
  const BleuScore four = corpus_bleu({"one two three four"}, Lines{"one two three four"});
  EXPECT_NEAR(four.score, 100.0, 1e-9);
  EXPECT_THAT(four.hints, IsEmpty());
  BleuOptions effective;
  effective.effective_order = true;
  EXPECT_NEAR(sentence_bleu("Zhongjian Plaza", {"Zhongjian Plaza"}, effective).score, 100.0, 1e-9);
}

TEST(Bleu, NothingInCommonIsZeroWithEverySmoothing) {
  for (const char* name : {"none", "floor", "add-k", "exp"}) {
    BleuOptions options;
    options.smoothing = parse_smoothing(name);
    const BleuScore score = corpus_bleu({"yes"}, Lines{"no"}, options);
    EXPECT_EQ(score.score, 0.0) << name;
    EXPECT_EQ(score.brevity_penalty, 1.0);
  }
}

TEST(Bleu, SmoothingValueStandsInTheSignature) {
  BleuOptions options;
  options.smoothing = Smoothing::kFloor;
  EXPECT_THAT(signature(options), HasSubstr("|smooth:floor[0.10]|"));
  options.smoothing_value = 0.0;
  EXPECT_THAT(signature(options), HasSubstr("|smooth:floor[0.00]|"));
  options.smoothing = Smoothing::kAddK;
  options.smoothing_value.reset();
  EXPECT_THAT(signature(options), HasSubstr("|smooth:add-k[1.00]|"));
}

TEST(Bleu, DefaultsAreSacrebleus) {
  EXPECT_EQ(signature(BleuOptions()),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:attend-0.1.0");
}

TEST(Bleu, FrenchSpacesBeforeAColonDoNotMatter) {
  const Lines narrow = {"Il dit\u202f: oui\u00a0!"}, plain = {"Il dit : oui !"};
  EXPECT_NEAR(corpus_bleu(narrow, plain).score, 100.0, 1e-9);
}

TEST(Bleu, EmptySentencesCount) {
  EXPECT_EQ(corpus_bleu({""}, Lines{""}).score, 0.0);
  EXPECT_EQ(corpus_bleu({""}, Lines{"a b c d"}).score, 0.0);
  EXPECT_EQ(corpus_bleu({""}, Lines{"a b c d"}).brevity_penalty, 0.0);
  EXPECT_EQ(corpus_bleu({"a b c d"}, Lines{""}).score, 0.0);
  EXPECT_EQ(corpus_bleu({"a b c d"}, Lines{""}).ratio(), 0.0);
  const double whole = corpus_bleu({"a b c d"}, Lines{"a b c d"}).score;
  EXPECT_LT(corpus_bleu({"a b c d", ""}, Lines{"a b c d", "e"}).score, whole);
}

TEST(Bleu, RefusesListsThatDoNotFit) {
  EXPECT_THAT(message_of<InvalidArgument>([] { corpus_bleu({}, Lines{}); }),
              HasSubstr("[bleu] expected at least one sentence, found none"));
  EXPECT_THAT(message_of<InvalidArgument>([] { corpus_bleu({"a", "b", "c"}, Lines{"a", "b"}); }),
              HasSubstr("found 3 hypotheses and 2 references"));
  EXPECT_THAT(message_of<InvalidArgument>([] { corpus_bleu({}, Lines{"a"}); }),
              HasSubstr("found 0 hypotheses and 1 references"));
  EXPECT_THAT(message_of<InvalidArgument>([] { corpus_bleu_multi({"a"}, {}); }),
              HasSubstr("at least one reference, found none"));
  EXPECT_THAT(message_of<InvalidArgument>([] { sentence_bleu("a", {}); }),
              HasSubstr("at least one reference, found none"));
  const std::vector<Lines> uneven = {Lines{"a", "b"}, Lines{"a"}};
  EXPECT_THAT(message_of<InvalidArgument>([&] { corpus_bleu_multi({"a", "b"}, uneven); }),
              HasSubstr("found 2 hypotheses and 1 references in list 2"));
}

TEST(Bleu, RefusesOptionsOutOfRange) {
  BleuOptions options;
  options.max_order = 0;
  EXPECT_THROW(corpus_bleu({"a"}, Lines{"a"}, options), InvalidArgument);
  options = {};
  options.smoothing_value = -0.1;
  EXPECT_THROW(corpus_bleu({"a"}, Lines{"a"}, options), InvalidArgument);
  options.smoothing_value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(bleu_scorer(options), InvalidArgument);
  EXPECT_THAT(message_of<InvalidArgument>([] { parse_smoothing("addk"); }),
              HasSubstr("none, floor, add-k or exp, found 'addk'"));
  const std::vector<int64_t> short_row = {1, 2, 3};
  EXPECT_THROW(bleu_of(short_row), InvalidArgument);
}

TEST(Bleu, IdenticalTextScoresHundred) {
  for (const auto& [name, corpus] : testing::corpora()) {
    for (const Lines& lines : corpus.references) {
      BleuOptions options;
      options.tokenizer = Tokenizer::kChar;
      const BleuScore score = corpus_bleu(lines, lines, options);
      if (score.totals.back() > 0) {
        EXPECT_NEAR(score.score, 100.0, 1e-9) << name;
      }
    }
  }
}

TEST(Bleu, OrderOfSentencesAndACopiedReferenceChangeNothing) {
  const testing::Corpus corpus = testing::corpora().at("random-40-0.4");
  const double score = corpus_bleu(corpus.hypotheses, corpus.references[0]).score;
  Lines hypotheses(corpus.hypotheses.rbegin(), corpus.hypotheses.rend());
  Lines references(corpus.references[0].rbegin(), corpus.references[0].rend());
  EXPECT_EQ(corpus_bleu(hypotheses, references).score, score);
  EXPECT_EQ(corpus_bleu_multi(hypotheses, {references, references}).score, score);
  EXPECT_GT(score, 0.0);
  EXPECT_LT(score, 100.0);
}

TEST(Bleu, AnotherReferenceNeverLowersPrecisions) {
  const testing::Corpus corpus = testing::corpora().at("three-references");
  const BleuScore one = corpus_bleu(corpus.hypotheses, corpus.references[1]);
  const BleuScore all = corpus_bleu_multi(corpus.hypotheses, corpus.references);
  for (size_t n = 0; n < 4; ++n) EXPECT_GE(all.precisions[n], one.precisions[n]);
}

TEST(Bleu, NameStandsInTheLine) {
  BleuScore score = corpus_bleu({"a b c d"}, Lines{"a b c d"});
  score.name = "BLEU-subword";
  EXPECT_THAT(to_text(score), HasSubstr("BLEU-subword = 100.00 "));
}

}  // namespace
}  // namespace attend::metrics
