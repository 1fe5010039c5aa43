#include "attend/training/schedule.h"

#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "attend/core/processors.h"

namespace attend::training {
namespace {

// 512^-0.5 * min(n^-0.5, n * 4000^-1.5), worked out with Python's decimal.
TEST(Schedule, NoamEqualsThePapersFormula) {
  TrainingConfig config;
  config.schedule = Schedule::kNoam;
  config.learning_rate = 1.0;
  config.warmup_steps = 4000;
  EXPECT_NEAR(learning_rate_at(config, 512, 1), 1.746928107421711e-7, 1e-19);
  EXPECT_NEAR(learning_rate_at(config, 512, 2), 3.493856214843422e-7, 1e-19);
  EXPECT_NEAR(learning_rate_at(config, 512, 4000), 6.987712429686844e-4, 1e-16);
  EXPECT_NEAR(learning_rate_at(config, 512, 8000), 4.941058844013093e-4, 1e-16);
}

TEST(Schedule, InverseSqrtHasItsTopAtTheLearningRate) {
  TrainingConfig config;
  config.schedule = Schedule::kInverseSqrt;
  config.learning_rate = 0.003;
  config.warmup_steps = 100;
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 1, 1), 0.00003);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 1, 50), 0.0015);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 1, 100), 0.003);
  EXPECT_DOUBLE_EQ(learning_rate_at(config, 1, 400), 0.0015);
}

// Without a warm-up there is nothing that rises: r / sqrt(n), by the factor of noam too.
TEST(Schedule, WithoutWarmUpFallsFromTheStart) {
  TrainingConfig config;
  config.learning_rate = 0.003;
  for (const int64_t warmup : {0, 1, -5}) {
    config.warmup_steps = warmup;
    config.schedule = Schedule::kInverseSqrt;
    EXPECT_DOUBLE_EQ(learning_rate_at(config, 64, 1), 0.003) << warmup;
    EXPECT_DOUBLE_EQ(learning_rate_at(config, 64, 9), 0.001) << warmup;
    config.schedule = Schedule::kNoam;
    EXPECT_DOUBLE_EQ(learning_rate_at(config, 64, 1), 0.003 / 8) << warmup;
    EXPECT_DOUBLE_EQ(learning_rate_at(config, 64, 9), 0.001 / 8) << warmup;
  }
}

// Whatever the schedule: the first update moves, and no later one stands still.
TEST(Schedule, IsAboveZeroAtEveryUpdate) {
  for (const Schedule schedule : {Schedule::kConstant, Schedule::kNoam, Schedule::kInverseSqrt}) {
    for (const int64_t warmup : {0, 1, 4000}) {
      TrainingConfig config;
      config.schedule = schedule;
      config.warmup_steps = warmup;
      for (const int64_t step : {1, 2, 3999, 4000, 4001, 100000000}) {
        EXPECT_GT(learning_rate_at(config, 32, step), 0.0) << warmup << " " << step;
        EXPECT_LE(learning_rate_at(config, 32, step), config.learning_rate) << warmup << step;
      }
    }
  }
}

TEST(Schedule, ConstantIsConstant) {
  TrainingConfig config;
  for (const int64_t step : {1, 2, 1000000}) EXPECT_EQ(learning_rate_at(config, 32, step), 0.005);
}

TEST(TrainingConfig, ReadsWhatItPrints) {
  TrainingConfig config;
  config.schedule = Schedule::kInverseSqrt;
  config.clip = 0.037;
  config.keep_best = false;
  const std::string text = core::print_config({describe(config)});
  TrainingConfig read;
  std::vector<core::ConfigTable> tables = {describe(read)};
  core::read_config(text, "printed", tables);
  EXPECT_EQ(read.schedule, Schedule::kInverseSqrt);
  EXPECT_EQ(read.clip, 0.037);
  EXPECT_FALSE(read.keep_best);
  EXPECT_EQ(read.epochs, 250);
}

TEST(TrainingConfig, RefusesAnUnknownSchedule) {
  TrainingConfig config;
  std::vector<core::ConfigTable> tables = {describe(config)};
  EXPECT_THROW(core::read_config("[training]\nschedule = \"cosine\"\n", "x.toml", tables),
               DataError);
}

TEST(AutomaticThreads, AreAtLeastOne) {
  EXPECT_GE(core::automatic_threads(0), 1);
  EXPECT_EQ(core::automatic_threads(3), 3);
}

}  // namespace
}  // namespace attend::training
