#include "attend/training/step_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "attend/models/seq2seq.h"
#include "tests/training/training_run.h"

namespace attend::training {
namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

std::vector<std::string> zones(const StepProfile& profile) {
  std::vector<std::string> names;
  for (const auto& row : profile.rows()) names.push_back(row.zone);
  return names;
}

StepProfile::Row row(const StepProfile& profile, const std::string& zone) {
  for (const auto& found : profile.rows())
    if (found.zone == zone) return found;
  return {};
}

double whole(const StepProfile& profile) { return profile.threads() * profile.seconds(); }

double sum(const StepProfile& profile) {
  double seconds = 0.0;
  for (const auto& found : profile.rows()) seconds += found.seconds;
  return seconds;
}

// A step of 20 ms alone, then 30 and 60 ms in shards on two threads.
TEST(StepProfile, CountsWhatThreadsDoAndWhenTheyWait) {
  core::ThreadPool pool(2);
  StepProfile profile;
  EXPECT_TRUE(profile.rows().empty());
  profile.begin(pool, "");
  const auto begin = std::chrono::steady_clock::now();
  {
    const core::Profile::Zone step(&profile.main(), StepProfile::kStep);
    {
      const core::Profile::Zone zone(&profile.main(), StepProfile::kBatches);
      sleep_ms(20);
    }
    profile.shard(1);
    {
      const StepProfile::Together together(&profile, StepProfile::kShards);
      pool.run(2, [&](int64_t i) {
        const core::Profile::Zone zone(&profile.shard(i), "decoder forward");
        sleep_ms(i == 0 ? 30 : 60);
      });
    }
    const StepProfile::Together together(&profile, StepProfile::kAdam);
    pool.run(2, [&](int64_t) { sleep_ms(10); });
  }
  profile.add_step(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  EXPECT_THAT(zones(profile),
              testing::ElementsAre("batches", "decoder forward", "Adam", "waiting", "the rest"));
  EXPECT_EQ(row(profile, "decoder forward").calls, 2);
  EXPECT_GE(row(profile, "decoder forward").seconds, 0.090);
  EXPECT_GE(row(profile, "Adam").seconds, 0.020);
  // One thread has nothing to do for 20 ms and then for 30. A busy machine may stretch all of it.
  EXPECT_GE(row(profile, "waiting").seconds, 0.045);
  EXPECT_NEAR(sum(profile), whole(profile), 1e-9);
  EXPECT_LT(std::abs(row(profile, "the rest").seconds), 0.2 * whole(profile));
}

TEST(StepProfile, OfARunOnAutogradSaysWhy) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.config.threads = 2;
  StepProfile profile;
  settings.profile = &profile;
  run_training(folder.path(), settings);
  EXPECT_EQ(profile.steps(), 4 * 7);
  EXPECT_EQ(profile.threads(), 2);
  EXPECT_THAT(profile.declined(), testing::HasSubstr("kind of model"));
  EXPECT_THAT(zones(profile),
              testing::ElementsAre("batches", "packing weights", "forward and loss",
                                   "backward (autograd)", "gathering gradients", "sum of gradients",
                                   "Adam", "waiting", "the rest"));
  EXPECT_GE(row(profile, "forward and loss").calls, profile.steps());
  EXPECT_EQ(row(profile, "Adam").calls, profile.steps());
  EXPECT_NEAR(sum(profile), whole(profile), 1e-9);
}

// The operations of all products, by hand, of a model with one layer and one pair.
TEST(StepProfile, OfARunOnKernelsCountsProducts) {
  TemporaryFolder folder;
  constexpr int64_t kWidth = 5, kTokens = 4;
  ModelConfig config;
  config.kind = ModelKind::kGru;
  config.source_vocabulary = config.target_vocabulary = kTinyVocabulary;
  config.embedding = config.hidden = kWidth;
  config.layers = 1;
  config.dropout = 0.0;
  const auto model = make_model(config, {});
  RunSettings settings;
  settings.train = {};
  settings.train.source.append(std::vector<int32_t>{4, 5, 6, 3});
  settings.train.target.append(std::vector<int32_t>{4, 5, 6, 3});
  settings.config.epochs = 3;
  StepProfile profile;
  settings.profile = &profile;
  const RunResult profiled = run_training(folder.path(), settings, model.get());
  ASSERT_EQ(profile.declined(), "");
  EXPECT_THAT(
      zones(profile),
      testing::ElementsAre("batches", "packing weights", "encoder forward", "decoder forward",
                           "output and loss", "decoder backward", "encoder backward",
                           "sum of gradients", "Adam", "waiting", "the rest"));
  // Distinct tokens are four on both sides: gates of tokens and steps, (3 H, E) and (3 H, H). The
  // encoder's first step begins at zero and has no product of steps.
  const double gates = 2.0 * 3 * kWidth * kWidth;
  EXPECT_EQ(row(profile, "encoder forward").operations, 3 * (2 * kTokens - 1) * gates);
  EXPECT_EQ(row(profile, "encoder backward").operations, 3 * 2 * (2 * kTokens - 1) * gates);
  EXPECT_EQ(row(profile, "decoder forward").operations, 3 * (2 * kTokens + 1) * gates);
  EXPECT_EQ(row(profile, "output and loss").operations,
            3 * 3 * 2.0 * kTokens * kWidth * kTinyVocabulary);

  const auto again = make_model(config, {});
  TemporaryFolder other;
  settings.profile = nullptr;
  EXPECT_EQ(run_training(other.path(), settings, again.get()).weights, profiled.weights);
}

}  // namespace
}  // namespace attend::training
