// The three translators under the trainer: the same bits on any number of threads and after a stop.
#include <gtest/gtest.h>

#include "attend/data/batches.h"
#include "attend/training/gradients.h"
#include "tests/training/training_run.h"

namespace attend::training {
namespace {

class EachModel : public testing::TestWithParam<ModelKind> {
 protected:
  static std::unique_ptr<Seq2Seq> make() {
    ModelConfig config;
    config.kind = GetParam();
    config.embedding = config.hidden = 16;
    config.heads = 4;
    config.feed_forward = 24;
    config.dropout = 0.2;
    config.source_vocabulary = config.target_vocabulary = kTinyVocabulary;
    return make_model(config, {.seed = 3});
  }

  static RunSettings settings() {
    RunSettings settings;
    settings.config.epochs = 2;
    settings.config.batch_size = 20;  // several shards a batch
    settings.held_out = true;
    return settings;
  }
};

TEST_P(EachModel, TrainsToTheSameBitsOnAnyNumberOfThreads) {
  std::vector<double> expected;
  for (const int64_t threads : {1, 2, 3}) {
    TemporaryFolder folder;
    const auto model = make();
    const std::vector<double> before = values_of(model->parameters().flat());
    RunSettings run = settings();
    run.config.threads = threads;
    const RunResult result = run_training(folder.path(), run, model.get());
    EXPECT_NE(result.weights, before);
    if (expected.empty()) expected = result.weights;
    EXPECT_EQ(result.weights, expected) << threads << " threads";
  }
}

TEST_P(EachModel, ResumesWithTheSameBits) {
  TemporaryFolder whole;
  const auto model = make();
  const RunResult reference = run_training(whole.path(), settings(), model.get());
  TemporaryFolder folder;
  RunSettings run = settings();
  run.stop_after = 4;  // of 3 batches an epoch
  const auto first = make();
  run_training(folder.path(), run, first.get());
  run.stop_after = 0;
  run.resume = true;
  run.config.threads = 2;
  const auto second = make();
  EXPECT_EQ(run_training(folder.path(), run, second.get()).weights, reference.weights);
}

// What the kernels give for the same batches, added in their order, on any number of threads.
TEST_P(EachModel, HasTheLossOfADatasetByKernels) {
  const auto model = make();
  const data::Dataset dataset = tiny_dataset(90);
  const FusedStep step = model->fused_step();
  ASSERT_TRUE(step.kernels);
  step.kernels->prepare(1);
  double expected = 0.0, composed = 0.0;
  const data::Epoch batches(dataset, {.sentences = 20, .shuffle = false}, 0, 0);
  for (int64_t i = 0; i < batches.size(); ++i) {
    expected += step.kernels->loss(0, batches.batch(i));
    composed += model->loss(batches.batch(i), {}).sum.item<double>();
  }
  EXPECT_NE(expected, composed);  // or the test could not tell the two
  EXPECT_NEAR(expected, composed, 1e-4 * composed);
  for (const int count : {1, 2, 3}) {
    ops::TorchThreads threads(count);
    const auto total = dataset_loss(*model, dataset, 20, threads.pool());
    ASSERT_TRUE(total);
    EXPECT_EQ(total->sum, expected) << count << " threads";
    EXPECT_EQ(total->tokens, dataset.target.tokens());
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EachModel,
                         testing::Values(ModelKind::kGru, ModelKind::kBahdanau,
                                         ModelKind::kTransformer));

}  // namespace
}  // namespace attend::training
