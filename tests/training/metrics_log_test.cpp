#include "attend/training/metrics_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "tests/training/training_run.h"

namespace attend::training {
namespace {

using testing::AllOf;
using testing::HasSubstr;

EpochRecord record(int64_t epoch) {
  EpochRecord r;
  r.epoch = epoch;
  r.step = 10 * epoch;
  r.train_loss = 0.1;
  r.tokens = 5420;
  r.tokens_per_second = 1000.5;
  r.seconds = 5.25;
  r.peak_rss_mb = 123.0;
  return r;
}

TEST(Metrics, AreAnObjectAnEpochWithTheseKeys) {
  EXPECT_EQ(metrics_line(record(3)),
            R"({"epoch":3,"step":30,"train_loss":0.1,"valid_loss":null,"tokens":5420,)"
            R"("tokens_per_second":1000.5,"seconds":5.25,"peak_rss_mb":123.0})"
            "\n");
}

TEST(Metrics, WriteNullForWhatIsNoNumber) {
  EpochRecord r = record(1);
  r.train_loss = std::nan("");
  r.valid_loss = HUGE_VAL;
  EXPECT_THAT(metrics_line(r),
              AllOf(HasSubstr(R"("train_loss":null)"), HasSubstr(R"("valid_loss":null)")));
}

TEST(Metrics, ReadBackExactly) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/metrics.jsonl";
  EpochRecord odd = record(2);
  odd.train_loss = 1.0 / 3.0;
  odd.valid_loss = 1e-300;
  core::append_file(path, metrics_line(record(1)));
  core::append_file(path, metrics_line(odd));
  const auto read = read_metrics(path);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(*read[1].train_loss, 1.0 / 3.0);
  EXPECT_EQ(*read[1].valid_loss, 1e-300);
  EXPECT_FALSE(read[0].valid_loss);
  EXPECT_EQ(read[0].step, 10);
}

TEST(Metrics, NameALineThatIsNoEpoch) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/metrics.jsonl";
  for (const std::string bad : {"hello", "[]", R"({"epoch":1})", ""}) {
    core::write_file_atomic(path, metrics_line(record(1)) + bad + "\n");
    try {
      read_metrics(path);
      ADD_FAILURE() << "expected an error for " << bad;
    } catch (const DataError& error) {
      EXPECT_EQ(error.line(), 2);
    }
  }
  EXPECT_THROW(read_metrics(folder.path() + "/missing.jsonl"), DataError);
}

TEST(Metrics, AreTruncatedToWholeEpochs) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/metrics.jsonl";
  EXPECT_EQ(truncate_metrics(path, 5), 0);
  std::string text;
  for (int64_t epoch = 1; epoch <= 4; ++epoch) text += metrics_line(record(epoch));
  core::write_file_atomic(path, text + R"({"epoch":5,)");
  EXPECT_EQ(truncate_metrics(path, 5), 4);
  EXPECT_EQ(core::read_file(path), text);
  EXPECT_EQ(truncate_metrics(path, 2), 2);
  EXPECT_EQ(read_metrics(path).back().epoch, 2);
  EXPECT_EQ(truncate_metrics(path, 0), 0);
  EXPECT_EQ(core::read_file(path), "");
}

TEST(Metrics, KnowTheMemoryUsed) { EXPECT_GT(peak_rss_mb(), 1.0); }

}  // namespace
}  // namespace attend::training
