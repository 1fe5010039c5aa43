#include "attend/metrics/bootstrap.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "attend/core/errors.h"
#include "attend/metrics/bleu.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/signature.h"
#include "goldens.h"

namespace attend::metrics {
namespace {

using testing::close;
using testing::golden;
using ::testing::HasSubstr;
using testing::message_of;
using Lines = std::vector<std::string>;

Statistics statistics_of(const std::string& metric, const Lines& hypotheses,
                         const std::vector<Lines>& references) {
  return metric == "BLEU" ? bleu_statistics(hypotheses, references)
                          : chrf_statistics(hypotheses, references);
}

void expect_interval(const Interval& found, const nlohmann::json& expected) {
  EXPECT_TRUE(close(found.mean, expected.at(0))) << found.mean;
  EXPECT_TRUE(close(found.half_width, expected.at(1))) << found.half_width;
  EXPECT_DOUBLE_EQ(found.half_width, 0.5 * (found.high - found.low));
}

TEST(Bootstrap, EqualsSacrebleuOnTheSameDraws) {
  const auto corpora = testing::corpora();
  for (const auto& expected : golden("bootstrap", "cases")) {
    const auto metric = expected.at("metric").get<std::string>();
    SCOPED_TRACE(metric + " " + expected.at("corpus").get<std::string>());
    const testing::Corpus& corpus = corpora.at(expected.at("corpus"));
    const Scorer scorer = metric == "BLEU" ? bleu_scorer() : chrf_scorer();
    const Statistics baseline = statistics_of(metric, corpus.hypotheses, corpus.references);
    const Statistics system = statistics_of(metric, expected.at("system"), corpus.references);
    const BootstrapOptions options{expected.at("samples"), expected.at("seed")};
    EXPECT_EQ(resample(baseline.size(), 0, options.seed),
              expected.at("first_draw").get<std::vector<int64_t>>());
    const PairedBootstrap found = paired_bootstrap(baseline, system, scorer, options);
    EXPECT_TRUE(close(found.baseline_score, expected.at("scores").at(0)));
    EXPECT_TRUE(close(found.system_score, expected.at("scores").at(1)));
    expect_interval(found.baseline, expected.at("intervals").at(0));
    expect_interval(found.system, expected.at("intervals").at(1));
    expect_interval(bootstrap_interval(system, scorer, options), expected.at("intervals").at(1));
    EXPECT_TRUE(close(found.p_value, expected.at("p_value"))) << found.p_value;
    EXPECT_TRUE(close(found.system_wins, expected.at("system_wins"))) << found.system_wins;
    EXPECT_LE(found.system_wins + found.baseline_wins, 1.0);
  }
}

// Other draws than sacreBLEU's: the same mean and interval but for chance.
TEST(Bootstrap, AgreesWithSacrebleusOwnDraws) {
  const auto corpora = testing::corpora();
  for (const auto& expected : golden("bootstrap", "cases")) {
    const auto metric = expected.at("metric").get<std::string>();
    const testing::Corpus& corpus = corpora.at(expected.at("corpus"));
    const Interval found =
        bootstrap_interval(statistics_of(metric, corpus.hypotheses, corpus.references),
                           metric == "BLEU" ? bleu_scorer() : chrf_scorer());
    const double mean = expected.at("own").at(0), half_width = expected.at("own").at(1);
    EXPECT_NEAR(found.mean, mean, 0.15 * half_width);
    EXPECT_NEAR(found.half_width, half_width, 0.15 * half_width);
    const BootstrapOptions defaults;
    const std::string sign = metric == "BLEU" ? signature(BleuOptions(), 1, defaults)
                                              : signature(ChrfOptions(), 1, defaults);
    EXPECT_EQ(sign, expected.at("own_signature").get<std::string>());
  }
}

TEST(Bootstrap, ASystemAgainstItselfIsNoDifference) {
  const testing::Corpus corpus = testing::corpora().at("random-40-0.4");
  const Statistics statistics = bleu_statistics(corpus.hypotheses, corpus.references);
  const PairedBootstrap found = paired_bootstrap(statistics, statistics, bleu_scorer(), {100, 1});
  EXPECT_EQ(found.system_wins, 0.0);
  EXPECT_EQ(found.baseline_wins, 0.0);
  EXPECT_EQ(found.system.mean, found.baseline.mean);
}

TEST(Bootstrap, AClearWinnerIsSignificant) {
  const testing::Corpus corpus = testing::corpora().at("random-60-0.8");
  const PairedBootstrap found =
      paired_bootstrap(bleu_statistics(corpus.hypotheses, corpus.references),
                       bleu_statistics(corpus.references[0], corpus.references), bleu_scorer());
  EXPECT_EQ(found.system_wins, 1.0);
  EXPECT_NEAR(found.p_value, 1.0 / 1001.0, 1e-12);
}

TEST(Bootstrap, DrawsAreWithReplacementAndHangOnTheSeedAlone) {
  const std::vector<int64_t> draw = resample(1000, 3, 42);
  EXPECT_EQ(draw, resample(1000, 3, 42));
  EXPECT_NE(draw, resample(1000, 4, 42));
  EXPECT_NE(draw, resample(1000, 3, 43));
  std::vector<int64_t> distinct = draw;
  std::sort(distinct.begin(), distinct.end());
  EXPECT_GE(distinct.front(), 0);
  EXPECT_LT(distinct.back(), 1000);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  EXPECT_NEAR(static_cast<double>(distinct.size()), 632.0, 40.0);  // 1 - 1/e of them
}

TEST(Bootstrap, IntervalStandsInTheLine) {
  const BleuScore score = corpus_bleu({"a b c d"}, Lines{"a b c d"});
  const Interval interval{99.5, 98.0, 100.0, 1.0};
  EXPECT_THAT(to_text(score, 1, "", interval), HasSubstr("BLEU = 100.0 (μ = 99.5 ± 1.0) 100.0/"));
  EXPECT_EQ(to_text(ChrfScore{"chrF2", 61.125}, 1, "nrefs:1", interval),
            "chrF2|nrefs:1 = 61.1 (μ = 99.5 ± 1.0)");
}

TEST(Bootstrap, RefusesWhatCannotBeCompared) {
  const Statistics two = bleu_statistics({"a", "b"}, {Lines{"a", "b"}});
  const Statistics one = bleu_statistics({"a"}, {Lines{"a"}});
  EXPECT_THAT(message_of<InvalidArgument>([&] { paired_bootstrap(two, one, bleu_scorer()); }),
              HasSubstr("found 2 and 1"));
  EXPECT_THROW(bootstrap_interval(one, bleu_scorer(), {0, 1}), InvalidArgument);
  EXPECT_THROW(bootstrap_interval(Statistics(), bleu_scorer()), InvalidArgument);
}

}  // namespace
}  // namespace attend::metrics
