#include "attend/training/head_costs.h"

#include <gtest/gtest.h>

#include <set>

#include "attend/core/errors.h"
#include "attend/data/batches.h"
#include "attend/ops/torch_threads.h"
#include "tests/support/compare.h"
#include "tests/training/tiny_model.h"

namespace attend::training {
namespace {

std::unique_ptr<Seq2Seq> transformer() {
  ModelConfig config;
  config.kind = ModelKind::kTransformer;
  config.hidden = 8;
  config.layers = 1;
  config.heads = 2;
  config.feed_forward = 8;
  config.source_vocabulary = config.target_vocabulary = kTinyVocabulary;
  return make_model(config, {.seed = 5, .dtype = at::kDouble});
}

// Kernels take the weights as they are now, without the head.
double composed_loss(const Seq2Seq& model, const data::Dataset& pairs) {
  const data::Epoch batches(pairs, {.sentences = pairs.size(), .shuffle = false}, 0, 0);
  return model.loss(batches.batch(0), {}).sum.item<double>();
}

TEST(HeadCosts, AreThoseOfTheModelWithoutTheHeadDearestFirst) {
  const auto model = transformer();
  const data::Dataset pairs = tiny_dataset(20);
  const at::Tensor before = model->parameters().flat().clone();
  ops::TorchThreads one(1), two(2);
  std::vector<int64_t> told;
  const HeadCosts costs = head_costs(*model, pairs, 8, one.pool(), [&](int64_t done, int64_t all) {
    EXPECT_EQ(all, 6);
    told.push_back(done);
  });
  EXPECT_EQ(told, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(attend::testing::identical(model->parameters().flat(), before));
  EXPECT_EQ(costs.whole.sum, dataset_loss(*model, pairs, 8, one.pool())->sum);
  std::set<std::string> names;
  for (size_t i = 0; i < costs.heads.size(); ++i) {
    const HeadCost& head = costs.heads[i];
    names.insert(to_text(head.head));
    if (i > 0) {
      EXPECT_GE(costs.heads[i - 1].cost, head.cost);
    }
    EXPECT_EQ(head.cost, head.without.mean() - costs.whole.mean());
    const WithoutHeads without(*model, {head.head});
    EXPECT_EQ(head.without.sum, dataset_loss(*model, pairs, 8, two.pool())->sum);
    EXPECT_NE(head.without.sum, costs.whole.sum);
    EXPECT_NEAR(head.without.sum, composed_loss(*model, pairs), 1e-11 * head.without.sum);
  }
  EXPECT_EQ(names.size(), 6u);
}

TEST(HeadCosts, RefusesAModelWithoutHeads) {
  TinyModel model;
  ops::TorchThreads threads(1);
  EXPECT_THROW(head_costs(model, tiny_dataset(2), 8, threads.pool()), InvalidArgument);
}

}  // namespace
}  // namespace attend::training
