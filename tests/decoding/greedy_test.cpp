// Greedy and forced decoding of made-up scores.
#include "attend/decoding/greedy.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "attend/core/errors.h"
#include "attend/core/random.h"
#include "tests/decoding/scripted_model.h"
#include "tests/support/compare.h"

namespace attend::decoding {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kVocabulary = 9;

const std::map<int32_t, std::vector<int32_t>> kScript = {
    {10, {5, 6, kEnd}}, {11, {kEnd}}, {12, {7, 7, 8, 7, kEnd}}, {13, {4, kEnd}}};

ScriptedModel script() {
  return {kVocabulary, [](int32_t source, const std::vector<int32_t>& written) {
            const auto& line = kScript.at(source);
            return prefer(written.size() < line.size() ? line[written.size()] : 1, kVocabulary);
          }};
}

// One sentence a group of ids, each with an end mark.
data::PackedIds sources(const std::vector<std::vector<int32_t>>& sentences) {
  data::PackedIds packed;
  for (std::vector<int32_t> ids : sentences) {
    ids.push_back(kEnd);
    packed.append(ids);
  }
  return packed;
}

TEST(Greedy, WritesTheLikeliestTokensInTheOrderOfTheInput) {
  const ScriptedModel model = script();
  const auto found = greedy(model, sources({{10}, {11}, {12}, {13}}), {.max_steps = 10});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_THAT(found[0].ids, ElementsAre(5, 6));
  EXPECT_THAT(found[1].ids, IsEmpty());
  EXPECT_THAT(found[2].ids, ElementsAre(7, 7, 8, 7));
  EXPECT_THAT(found[3].ids, ElementsAre(4));
  const auto each = static_cast<float>(-std::log(1.0 + 8.0 * std::exp(-5.0)));
  for (const Hypothesis& hypothesis : found) {
    EXPECT_TRUE(hypothesis.finished);
    EXPECT_EQ(hypothesis.log_probabilities.size(), hypothesis.ids.size() + 1);
    EXPECT_THAT(hypothesis.log_probabilities, Each(FloatEq(each)));
    EXPECT_NEAR(hypothesis.score(), each * static_cast<double>(hypothesis.ids.size() + 1), 1e-6);
    EXPECT_THAT(hypothesis.attention, IsEmpty());
  }
  EXPECT_THAT(model.live, ElementsAre(4, 3, 2, 1, 1));  // the finished left at once
}

TEST(Greedy, StopsAtMaxStepsTheEndMarkIncluded) {
  const auto within = [](int64_t max_steps) {
    return greedy(script(), sources({{12}, {10}}), {.max_steps = max_steps});
  };
  const auto three = within(3);
  EXPECT_THAT(three[0].ids, ElementsAre(7, 7, 8));
  EXPECT_FALSE(three[0].finished);
  EXPECT_EQ(three[0].log_probabilities.size(), 3u);
  EXPECT_THAT(three[1].ids, ElementsAre(5, 6));
  EXPECT_TRUE(three[1].finished);
  EXPECT_THAT(within(1)[1].ids, ElementsAre(5));
  EXPECT_FALSE(within(2)[1].finished);
  EXPECT_TRUE(within(5)[0].finished);
}

TEST(Greedy, TheFirstOfEqualTokensWins) {
  const ScriptedModel model(kVocabulary, [](int32_t, const std::vector<int32_t>& written) {
    std::vector<float> scores(kVocabulary, 0.0f);
    scores[written.empty() ? 4 : kEnd] = scores[6] = 2.0f;
    return scores;
  });
  EXPECT_THAT(greedy(model, sources({{1}}), {.max_steps = 5})[0].ids, ElementsAre(4));
}

// Scores by hash of all that was seen; a longer text ends more often.
std::vector<float> random_scores(int32_t source, const std::vector<int32_t>& written) {
  uint64_t key = static_cast<uint64_t>(source);
  for (const int32_t id : written) key = core::combine(key, static_cast<uint64_t>(id));
  std::vector<float> scores;
  for (uint64_t i = 0; i < kVocabulary; ++i)
    scores.push_back(static_cast<float>(4.0 * core::uniform01(key, i)));
  scores[kEnd] += static_cast<float>(written.size()) * 0.3f;
  return scores;
}

std::vector<int32_t> one_by_one(int32_t source, size_t max_steps) {
  std::vector<int32_t> written;
  while (written.size() < max_steps) {
    const auto scores = random_scores(source, written);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    if (best == kEnd) break;
    written.push_back(static_cast<int32_t>(best));
  }
  return written;
}

TEST(Greedy, BatchesMixNothingUp) {
  const ScriptedModel model(kVocabulary, random_scores);
  size_t finished = 0, cut = 0;
  for (int32_t trial = 0; trial < 150; ++trial) {
    std::vector<std::vector<int32_t>> batch;
    for (int32_t b = 0; b < 1 + trial % 8; ++b) batch.push_back({100 * trial + b});
    const auto found = greedy(model, sources(batch), {.max_steps = 6});
    ASSERT_EQ(found.size(), batch.size());
    for (size_t b = 0; b < batch.size(); ++b) {
      EXPECT_EQ(found[b].ids, one_by_one(batch[b][0], 6)) << trial << ", " << b;
      EXPECT_THAT(found[b].ids, Not(Contains(kEnd)));
      EXPECT_EQ(found[b].log_probabilities.size(), found[b].ids.size() + found[b].finished);
      (found[b].finished ? finished : cut) += 1;
    }
  }
  EXPECT_GT(finished, 100u);
  EXPECT_GT(cut, 20u);
}

TEST(Greedy, AnEmptyBatchGivesNothing) {
  EXPECT_THAT(greedy(script(), {}, {.max_steps = 3}), IsEmpty());
  EXPECT_THAT(force(script(), {}, {}, {}), IsEmpty());
}

TEST(Greedy, RefusesNoSteps) {
  EXPECT_THAT(message_of([] { greedy(script(), sources({{10}}), {.max_steps = 0}); }),
              HasSubstr("found 0"));
}

const SentenceAttention& of_kind(const Hypothesis& hypothesis, AttentionKind kind) {
  for (const SentenceAttention& attention : hypothesis.attention)
    if (attention.kind == kind) return attention;
  throw InternalError("no attention of this kind");
}

TEST(Greedy, AttentionIsThatOfTheSentenceAlone) {
  const ScriptedModel model = script();
  const auto batch = sources({{11}, {10, 4, 4}, {13, 5}});
  const auto found = greedy(model, batch, {.max_steps = 9, .attention = true});
  const auto plain = greedy(model, batch, {.max_steps = 9});
  const int64_t keys[] = {2, 4, 3}, queries[] = {1, 3, 2};
  const float source[] = {11, 10, 13};
  for (size_t b = 0; b < 3; ++b) {
    EXPECT_EQ(found[b].ids, plain[b].ids);
    EXPECT_EQ(found[b].log_probabilities, plain[b].log_probabilities);
    const SentenceAttention& cross = of_kind(found[b], AttentionKind::kCross);
    EXPECT_EQ(cross.heads, 2);
    ASSERT_EQ(cross.keys, keys[b]);
    ASSERT_EQ(cross.queries, queries[b]);
    size_t i = 0;
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t q = 0; q < queries[b]; ++q)
        for (int64_t k = 0; k < keys[b]; ++k, ++i)
          EXPECT_NEAR(cross.weights[i],
                      source[b] + static_cast<float>(h) / 10 + static_cast<float>(k) / 100, 1e-5);
    const SentenceAttention& self = of_kind(found[b], AttentionKind::kDecoderSelf);
    EXPECT_EQ(self.keys, queries[b]);
    for (int64_t q = 0; q < self.queries; ++q)
      for (int64_t k = 0; k < self.keys; ++k)
        EXPECT_EQ(self.weights[static_cast<size_t>(q * self.keys + k)],
                  k <= q ? static_cast<float>(q + 1) : 0.0f);
  }
}

data::PackedIds targets(const std::vector<std::vector<int32_t>>& sentences) {
  data::PackedIds packed;
  for (const auto& ids : sentences) packed.append(ids);
  return packed;
}

TEST(Force, ScoresItsOwnOutputAsGreedyDid) {
  const ScriptedModel model(kVocabulary, random_scores);
  const auto batch = sources({{1}, {2, 5}, {3}, {4, 4, 4}, {5}});
  const DecodeOptions options{.max_steps = 6, .attention = true};
  const auto written = greedy(model, batch, options);
  std::vector<std::vector<int32_t>> wanted;
  for (const Hypothesis& hypothesis : written) {
    wanted.push_back(hypothesis.ids);
    if (hypothesis.finished) wanted.back().push_back(kEnd);
  }
  const auto forced = force(model, batch, targets(wanted), options);
  for (size_t b = 0; b < written.size(); ++b) {
    EXPECT_EQ(forced[b].ids, written[b].ids);
    EXPECT_EQ(forced[b].finished, written[b].finished);
    EXPECT_EQ(forced[b].log_probabilities, written[b].log_probabilities);
    ASSERT_EQ(forced[b].attention.size(), written[b].attention.size());
    for (size_t i = 0; i < forced[b].attention.size(); ++i)
      EXPECT_EQ(forced[b].attention[i].weights, written[b].attention[i].weights);
  }
}

TEST(Force, ScoresWhatTheModelWouldNotWrite) {
  const auto found = force(script(), sources({{10}, {11}}), targets({{8, kEnd}, {4, 4}}), {});
  const double unlikely = -std::log(std::exp(5.0) + 8.0);
  EXPECT_THAT(found[0].ids, ElementsAre(8));
  EXPECT_TRUE(found[0].finished);
  EXPECT_NEAR(found[0].score(), 2 * unlikely, 1e-5);  // the script has 6 in the end mark's place
  EXPECT_THAT(found[1].ids, ElementsAre(4, 4));
  EXPECT_FALSE(found[1].finished);
}

TEST(Force, RefusesWhatDoesNotFit) {
  const auto error = [](const std::vector<std::vector<int32_t>>& wanted) {
    return message_of([&] { force(script(), sources({{10}, {11}}), targets(wanted), {}); });
  };
  EXPECT_THAT(error({{kEnd}}), HasSubstr("found 1 and 2"));
  EXPECT_THAT(error({{kEnd}, {}}), HasSubstr("in target 1"));
  EXPECT_THAT(error({{kEnd}, {kEnd, 4, kEnd}}), HasSubstr("after the end mark in target 1"));
  EXPECT_THAT(error({{kEnd}, {9, kEnd}}), HasSubstr("[0, 9), found 9"));
  EXPECT_THAT(error({{-1}, {kEnd}}), HasSubstr("found -1"));
}

}  // namespace
}  // namespace attend::decoding
