// Perplexity, BLEU by source length, and what every score's text shares.
#include <gmock/gmock.h>

#include <clocale>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "attend/core/errors.h"
#include "attend/metrics/length_buckets.h"
#include "attend/metrics/number_text.h"
#include "attend/metrics/perplexity.h"
#include "attend/metrics/signature.h"
#include "goldens.h"

namespace attend::metrics {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using Lines = std::vector<std::string>;

TEST(Perplexity, IsTheExponentialOfTheMean) {
  EXPECT_EQ(perplexity(0.0, 5), 1.0);
  EXPECT_NEAR(perplexity(10 * std::log(201.0), 10), 201.0, 1e-9);
  EXPECT_EQ(perplexity(1e9, 1), std::numeric_limits<double>::infinity());
  EXPECT_THAT(message_of<InvalidArgument>([] { perplexity(1.0, 0); }),
              HasSubstr("at least one token, found 0"));
  EXPECT_THROW(perplexity(-1.0, 2), InvalidArgument);
  EXPECT_THROW(perplexity(std::numeric_limits<double>::quiet_NaN(), 2), InvalidArgument);
}

TEST(LengthBuckets, EachIsTheCorpusBleuOfItsSentences) {
  const testing::Corpus corpus = testing::corpora().at("random-40-0.4");
  const Lines& references = corpus.references[0];
  std::vector<int64_t> lengths;
  for (const std::string& line : references) lengths.push_back(count_blank_separated(line));
  const std::vector<int64_t> limits = {5, 10, 20};
  const auto buckets = bleu_by_source_length(lengths, corpus.hypotheses, references, limits);
  ASSERT_EQ(buckets.size(), 4u);
  int64_t sentences = 0;
  for (const LengthBucket& bucket : buckets) {
    Lines hypotheses_in, references_in;
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < bucket.low || (bucket.high >= 0 && lengths[i] > bucket.high)) continue;
      hypotheses_in.push_back(corpus.hypotheses[i]);
      references_in.push_back(references[i]);
    }
    EXPECT_EQ(bucket.sentences, static_cast<int64_t>(hypotheses_in.size()));
    sentences += bucket.sentences;
    EXPECT_EQ(bucket.bleu.score, corpus_bleu(hypotheses_in, references_in).score);
    EXPECT_GT(bucket.bleu.score, 0.0);
  }
  EXPECT_EQ(sentences, 40);
}

TEST(LengthBuckets, SeveralReferencesAreThoseOfTheCorpus) {
  const testing::Corpus corpus = testing::corpora().at("three-references");
  const std::vector<int64_t> lengths(corpus.hypotheses.size(), 7);
  const auto buckets =
      bleu_by_source_length_multi(lengths, corpus.hypotheses, corpus.references, {6});
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].sentences, 0);
  EXPECT_EQ(buckets[1].bleu.score, corpus_bleu_multi(corpus.hypotheses, corpus.references).score);
  EXPECT_NE(buckets[1].bleu.score, corpus_bleu(corpus.hypotheses, corpus.references.front()).score);
}

TEST(LengthBuckets, LabelsAndEmptyBuckets) {
  const auto buckets = bleu_by_source_length({3, 4}, {"a b c d", "a"}, {"a b c d", "a"}, {2, 3, 6});
  ASSERT_EQ(buckets.size(), 4u);
  EXPECT_EQ(buckets[0].label(), "0-2");
  EXPECT_EQ(buckets[1].label(), "3");
  EXPECT_EQ(buckets[2].label(), "4-6");
  EXPECT_EQ(buckets[3].label(), "7+");
  EXPECT_EQ(buckets[0].sentences, 0);
  EXPECT_EQ(buckets[0].bleu.score, 0.0);
  EXPECT_NEAR(buckets[1].bleu.score, 100.0, 1e-9);
}

TEST(LengthBuckets, RefusesWhatDoesNotFit) {
  EXPECT_THAT(
      message_of<InvalidArgument>([] { bleu_by_source_length({1}, {"a", "b"}, {"a", "b"}); }),
      HasSubstr("found 2 hypotheses and 1 lengths"));
  EXPECT_THROW(bleu_by_source_length({1}, {"a"}, {"a", "b"}), InvalidArgument);
  EXPECT_THROW(bleu_by_source_length({1}, {"a"}, {"a"}, {3, 3}), InvalidArgument);
  EXPECT_THROW(bleu_by_source_length({1}, {"a"}, {"a"}, {-1}), InvalidArgument);
}

TEST(Text, NumbersDoNotHangOnTheLocale) {
  const char* locale = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  EXPECT_EQ(fixed(37.035, 2), "37.03");  // the double lies below 37.035
  if (locale != nullptr) std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(fixed(0.125, 2), "0.12");
  EXPECT_EQ(fixed(100.0, 0), "100");
  EXPECT_THROW(fixed(1e300, 200), InvalidArgument);
}

TEST(Signature, VersionIsTheProjects) {
  std::ifstream file(std::string(ATTEND_SOURCE_DIR) + "/CMakeLists.txt");
  std::stringstream text;
  text << file.rdbuf();
  const std::string version(kSignatureVersion.substr(std::string("attend-").size()));
  EXPECT_THAT(text.str(), HasSubstr("project(attend VERSION " + version + " "));
}

}  // namespace
}  // namespace attend::metrics
