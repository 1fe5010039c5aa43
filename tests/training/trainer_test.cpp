#include "attend/training/trainer.h"

#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "attend/core/errors.h"
#include "attend/core/safetensors.h"
#include "tests/training/training_run.h"

namespace attend::training {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using End = TrainingResult::End;

std::vector<double> weights_in(const std::string& folder) {
  const std::string path = folder + "/model.safetensors";
  const std::string bytes = core::read_file(path);
  const TinyModel model;
  const at::Tensor flat = model.parameters().flat().clone();
  read_parameters(core::parse_safetensors(bytes, path), path, model.parameters(), flat);
  return values_of(flat);
}

TEST(Train, LowersTheLossAndLeavesItsFiles) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.config.epochs = 12;
  settings.config.learning_rate = 0.05;
  settings.held_out = true;
  std::vector<EpochRecord> epochs;
  settings.callbacks.on_epoch = [&](const EpochRecord& record) { epochs.push_back(record); };
  const RunResult run = run_training(folder.path(), settings);
  EXPECT_EQ(run.result.end, End::kFinished);
  EXPECT_EQ(run.result.epochs, 12);
  EXPECT_EQ(run.result.steps, 12 * 7);
  ASSERT_EQ(epochs.size(), 12u);
  EXPECT_LT(*epochs.back().train_loss, *epochs.front().train_loss - 0.3);
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"model.safetensors", "checkpoint.safetensors",
                                          "metrics.jsonl", "clock.json"}));
}

// 50 pairs in batches of 8: 7 steps an epoch, 28 in all.
TEST(Train, WarnsOfAWarmUpThatOutlastsTheRun) {
  RunSettings settings;
  settings.config.schedule = Schedule::kInverseSqrt;
  settings.config.warmup_steps = 28;
  EXPECT_EQ(warm_up_warning(settings.config, settings.train), "");
  settings.config.warmup_steps = 29;
  EXPECT_THAT(warm_up_warning(settings.config, settings.train),
              testing::AllOf(testing::HasSubstr("29 steps"), testing::HasSubstr("of 28"),
                             testing::HasSubstr("training.warmup_steps")));
  settings.config.schedule = Schedule::kConstant;
  EXPECT_EQ(warm_up_warning(settings.config, settings.train), "");
}

TEST(Train, GivesTheSameBitsAtAnyNumberOfThreads) {
  RunSettings settings;
  settings.config.batch_size = 40;  // several shards a batch
  std::vector<double> expected;
  for (const int64_t threads : {1, 2, 3}) {
    TemporaryFolder folder;
    settings.config.threads = threads;
    const RunResult run = run_training(folder.path(), settings);
    if (expected.empty()) expected = run.weights;
    EXPECT_EQ(run.weights, expected) << threads << " threads";
  }
}

TEST(Train, HangsOnTheSeed) {
  TemporaryFolder folder;
  RunSettings settings;
  const auto one = run_training(folder.path(), settings).weights;
  EXPECT_EQ(run_training(folder.path(), settings).weights, one);
  settings.config.seed = 2;
  EXPECT_NE(run_training(folder.path(), settings).weights, one);
}

TEST(Train, ShufflesAnewInEachEpoch) {
  TemporaryFolder folder;
  RunSettings settings;
  std::map<int64_t, std::vector<int64_t>> tokens;  // of the epoch, after each batch
  settings.callbacks.on_step = [&](const StepReport& report) {
    tokens[report.epoch].push_back(report.tokens);
  };
  run_training(folder.path(), settings);
  EXPECT_NE(tokens[1], tokens[2]);
  EXPECT_NE(tokens[2], tokens[3]);
  EXPECT_EQ(tokens[1].back(), tokens[2].back());
}

TEST(Train, TellsOfEachStep) {
  TemporaryFolder folder;
  RunSettings settings;
  std::vector<StepReport> steps;
  settings.callbacks.on_step = [&](const StepReport& report) { steps.push_back(report); };
  settings.config.schedule = Schedule::kInverseSqrt;
  settings.config.warmup_steps = 10;
  run_training(folder.path(), settings);
  ASSERT_EQ(steps.size(), 28u);
  const StepReport& tenth = steps[9];
  EXPECT_EQ(tenth.epoch, 2);
  EXPECT_EQ(tenth.epochs, 4);
  EXPECT_EQ(tenth.batch, 3);
  EXPECT_EQ(tenth.batches, 7);
  EXPECT_EQ(tenth.step, 10);
  EXPECT_DOUBLE_EQ(tenth.learning_rate, 0.005);
  EXPECT_DOUBLE_EQ(steps[0].learning_rate, 0.0005);
  EXPECT_NEAR(tenth.loss, std::log(12.0), 1.0);
  EXPECT_GT(tenth.gradient_norm, 0.0);
  EXPECT_GT(tenth.tokens_per_second, 0.0);
  EXPECT_GT(tenth.eta_seconds, 0.0);
  EXPECT_NEAR(tenth.eta_seconds, tenth.seconds * 18 / 10, 1e-6 + 1e-6 * tenth.seconds);
  EXPECT_GT(tenth.peak_rss_mb, 1.0);
  EXPECT_EQ(steps.back().eta_seconds, 0.0);
}

TEST(Train, ReportsTheMeanOverTheEpochsTokens) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.config.epochs = 1;
  double sum = 0.0;
  int64_t tokens = 0;
  settings.callbacks.on_step = [&](const StepReport& report) {
    sum += report.loss * static_cast<double>(report.tokens - tokens);
    tokens = report.tokens;
  };
  run_training(folder.path(), settings);
  const auto records = read_metrics(folder.path() + "/metrics.jsonl");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].tokens, tiny_dataset(50).target.tokens());
  EXPECT_NEAR(*records[0].train_loss, sum / static_cast<double>(tokens), 1e-12);
  EXPECT_NEAR(records[0].tokens_per_second * records[0].seconds, tokens, 1e-3);
}

TEST(Train, SkipsAStepWhoseGradientIsNotFinite) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.config.epochs = 1;
  TinyModel model(0.3);
  model.overflow_from = 2;
  model.overflow_to = 3;
  std::vector<std::vector<double>> weights;
  std::vector<double> rates;
  std::vector<std::string> notes;
  settings.config.schedule = Schedule::kInverseSqrt;
  settings.callbacks.on_step = [&](const StepReport& report) {
    weights.push_back(values_of(model.parameters().flat()));
    rates.push_back(report.learning_rate);
  };
  settings.callbacks.on_note = [&](const std::string& note) { notes.push_back(note); };
  const RunResult run = run_training(folder.path(), settings, &model);
  EXPECT_EQ(run.result.skipped, 1);
  EXPECT_EQ(run.result.steps, 7);
  EXPECT_NE(weights[1], weights[0]);
  EXPECT_EQ(weights[2], weights[1]);
  EXPECT_NE(weights[3], weights[2]);
  EXPECT_EQ(rates[3], rates[2]) << "the schedule counts updates";
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("step 3"), HasSubstr("decoder.output.bias"))));
  EXPECT_TRUE(std::isfinite(*read_metrics(folder.path() + "/metrics.jsonl")[0].train_loss));
}

TEST(Train, EndsWhenNoGradientIsFiniteAnyMore) {
  TemporaryFolder folder;
  RunSettings settings;
  TinyModel model(0.3);
  model.overflow_from = 3;
  try {
    run_training(folder.path(), settings, &model);
    FAIL() << "expected an error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("step 23"), HasSubstr("decoder.output.bias"),
                                    HasSubstr("20 times in a row")));
  }
}

// Without epsilon a gradient of 0, as of a word that the batch lacks, makes 0 / 0.
TEST(Train, NeverSavesWeightsThatAreNotFinite) {
  for (const int64_t stop_after : {1, 0}) {  // before the next gradient, and after it
    SCOPED_TRACE(stop_after);
    TemporaryFolder folder;
    const auto files = [&] {
      return core::read_file(folder.path() + "/model.safetensors") +
             core::read_file(folder.path() + "/checkpoint.safetensors");
    };
    RunSettings settings;
    settings.config.epsilon = 0.0;
    settings.stop_after = stop_after;
    settings.config.checkpoint_seconds = 1e9;
    std::string begun;  // what is saved before the first step
    settings.callbacks.on_step = [&](const StepReport&) { begun = files(); };
    try {
      run_training(folder.path(), settings);
      FAIL() << "expected an error";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("embedding"), HasSubstr("epsilon")));
    }
    EXPECT_FALSE(begun.empty());
    EXPECT_TRUE(files() == begun);
  }
}

TEST(Train, RefusesNoData) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.train = data::Dataset();
  EXPECT_THROW(run_training(folder.path(), settings), InvalidArgument);
}

TEST(Train, LetsACallbacksErrorThrough) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.callbacks.on_epoch = [](const EpochRecord&) { throw InternalError("from a callback"); };
  EXPECT_THROW(run_training(folder.path(), settings), InternalError);
}

// ----- validation -----

// Its held-out loss is written down beforehand, an entry a validation.
class ScriptedModel : public TinyModel {
 public:
  explicit ScriptedModel(std::vector<double> losses) : losses_(std::move(losses)) {}
  LossSum loss(const data::Batch& batch, const ops::DropoutState& dropout) const override {
    if (c10::GradMode::is_enabled()) return TinyModel::loss(batch, dropout);
    const double loss = losses_.at(next_++) * static_cast<double>(batch.target_tokens());
    return {at::tensor(loss, at::kDouble), batch.target_tokens()};
  }

 private:
  std::vector<double> losses_;
  mutable size_t next_ = 0;
};

struct Validated {
  TrainingResult result;
  std::vector<ValidationReport> reports;
  std::vector<std::vector<double>> weights;  // after each epoch
  std::vector<double> saved;                 // in model.safetensors
};

Validated validate(std::vector<double> losses, const std::function<void(TrainingConfig&)>& change) {
  TemporaryFolder folder;
  RunSettings settings;
  settings.config.batch_size = 16;  // the 9 held-out pairs are one batch
  settings.held_out = true;
  change(settings.config);
  ScriptedModel model(std::move(losses));
  Validated validated;
  settings.callbacks.on_validation = [&](const ValidationReport& r) {
    validated.reports.push_back(r);
  };
  settings.callbacks.on_epoch = [&](const EpochRecord&) {
    validated.weights.push_back(values_of(model.parameters().flat()));
  };
  settings.callbacks.decode = [](const Seq2Seq&) {
    return DecodedValidation{{{"go .", "va !", "va !"}}, 0.5};
  };
  validated.result = run_training(folder.path(), settings, &model).result;
  validated.saved = weights_in(folder.path());
  return validated;
}

TEST(Validation, KeepsTheBestWeights) {
  const Validated run = validate({5, 3, 4, 6}, [](TrainingConfig&) {});
  EXPECT_EQ(run.result.best_epoch, 2);
  EXPECT_DOUBLE_EQ(*run.result.best_loss, 3.0);
  EXPECT_TRUE(run.result.best_weights);
  EXPECT_EQ(run.saved, run.weights[1]);
  EXPECT_NE(run.saved, run.weights[3]);
  ASSERT_EQ(run.reports.size(), 4u);
  EXPECT_TRUE(run.reports[1].best);
  EXPECT_FALSE(run.reports[2].best);
  EXPECT_EQ(run.reports[0].decoded.samples.at(0).translation, "va !");
  EXPECT_EQ(run.reports[0].decoded.bleu, 0.5);
}

TEST(Validation, KeepsTheEarlierOfEqualLosses) {
  const Validated run = validate({5, 3, 3, 6}, [](TrainingConfig&) {});
  EXPECT_EQ(run.result.best_epoch, 2);
  EXPECT_EQ(run.saved, run.weights[1]);
}

TEST(Validation, NeverTakesALossThatIsNoNumberForTheBest) {
  const Validated run = validate({std::nan(""), 3, std::nan(""), 6}, [](TrainingConfig&) {});
  EXPECT_EQ(run.result.best_epoch, 2);
}

TEST(Validation, KeepsTheLastWeightsWhenAskedTo) {
  const Validated run =
      validate({5, 3, 4, 6}, [](TrainingConfig& config) { config.keep_best = false; });
  EXPECT_EQ(run.result.best_epoch, 2);
  EXPECT_FALSE(run.result.best_weights);
  EXPECT_EQ(run.saved, run.weights[3]);
}

TEST(Validation, EndsTheRunWhenPatienceDoes) {
  const Validated run = validate({5, 3, 4, 6, 2, 1}, [](TrainingConfig& config) {
    config.epochs = 6;
    config.patience = 2;
  });
  EXPECT_EQ(run.result.end, End::kPatience);
  EXPECT_EQ(run.result.epochs, 4);
  EXPECT_EQ(run.saved, run.weights[1]);
}

TEST(Validation, ComesEverySoManyEpochsAndAtTheEnd) {
  const Validated run = validate({5, 4, 3}, [](TrainingConfig& config) {
    config.epochs = 5;
    config.validate_every = 2;
  });
  ASSERT_EQ(run.reports.size(), 3u);
  EXPECT_EQ(run.reports[0].epoch, 2);
  EXPECT_EQ(run.reports[1].epoch, 4);
  EXPECT_EQ(run.reports[2].epoch, 5);
}

TEST(Validation, MayBeSwitchedOff) {
  const Validated run = validate({}, [](TrainingConfig& config) { config.validate_every = 0; });
  EXPECT_TRUE(run.reports.empty());
  EXPECT_FALSE(run.result.best_loss);
}

TEST(Validation, TranslatesWithoutHeldOutPairsToo) {
  TemporaryFolder folder;
  RunSettings settings;
  int64_t calls = 0;
  settings.callbacks.decode = [&](const Seq2Seq&) {
    ++calls;
    EXPECT_FALSE(c10::GradMode::is_enabled());
    return DecodedValidation();
  };
  settings.callbacks.on_validation = [](const ValidationReport& r) { EXPECT_FALSE(r.loss); };
  const RunResult run = run_training(folder.path(), settings);
  EXPECT_EQ(calls, 4);
  EXPECT_FALSE(run.result.best_weights);
  EXPECT_EQ(weights_in(folder.path()), run.weights);
}

}  // namespace
}  // namespace attend::training
