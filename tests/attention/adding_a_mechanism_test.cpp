// docs/adding-a-mechanism.md, followed to the end: a score that the library does not have, with the
// whole table of what holds for every score.
//
// Capped dot products: cap tanh(q . k / (sqrt(D) cap)), which no pair can leave [-cap, cap] by;
// Bello, Pham, Le, Norouzi, Bengio 2016, "Neural Combinatorial Optimization", A.1 (there a constant
// of 10; here a number for each head, learned).
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tanh.h>
#include <gmock/gmock.h>

#include <cmath>

#include "attend/core/errors.h"
#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"
#include "tests/attention/score_table.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

// [the score]
class CappedScore final : public Score {
 public:
  /// Parameter: cap (H), ones at first.
  CappedScore(const ParameterScope& scope, const ScoreOptions& options)
      : cap_(scope.add("cap", {options.heads}, Init::kOnes)) {}

  at::Tensor scores(const at::Tensor& queries, const at::Tensor& keys) const override {
    ops::check_floating("capped_score", {queries, keys});
    if (queries.dim() != keys.dim() || queries.size(-1) != keys.size(-1))
      ops::refuse("capped_score", "queries (B, [H,] Tq, D) and keys (B, [H,] Tk, D)",
                  {queries, keys});
    const at::Tensor cap = queries.dim() == 4 ? cap_->view({-1, 1, 1}) : *cap_;
    // Divided before the product: after it, the slope of cap would meet hidden pairs that overflow.
    const double root = std::sqrt(static_cast<double>(queries.size(-1)));
    const at::Tensor products =
        ops::batched_product(queries / (cap * root), keys.transpose(-2, -1));  // (B, [H,] Tq, Tk)
    return cap * at::tanh(products);
  }

 private:
  Parameter cap_;
};
// [the score]

// [the table]
INSTANTIATE_TEST_SUITE_P(Capped, ScoreTable,
                         every_normaliser({case_of<CappedScore>("capped", /*key_size=*/4)}),
                         name_of_row);
// [the table]

TEST(CappedScore, AgreesWithTheFormula) {
  const ScoreLayer layer(case_of<CappedScore>("capped", 4), /*heads=*/2);
  const at::Tensor q = cosines({1, 2, 3, 4}), k = cosines({1, 2, 5, 4}, 1);
  const at::Tensor found = layer.attention.score().scores(q, k);
  const auto* cap = layer.store.tensors()[0].const_data_ptr<double>();
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 5; ++j) {
        double product = 0.0;
        for (int64_t d = 0; d < 4; ++d)
          product += q[0][h][i][d].item<double>() * k[0][h][j][d].item<double>();
        EXPECT_NEAR(found[0][h][i][j].item<double>(), cap[h] * std::tanh(product / (2.0 * cap[h])),
                    1e-12);
      }
}

TEST(CappedScore, StaysWithinItsCap) {
  const ScoreLayer layer(case_of<CappedScore>("capped", 4));
  const at::Tensor large = at::full({1, 3, 4}, 1e6, at::kDouble);
  const double cap = std::abs(layer.store.tensors()[0].item<double>());
  EXPECT_LE(layer.attention.score().scores(large, large).abs().max().item<double>(), cap);
}

TEST(CappedScore, WrongShapesAreNamed) {
  const ScoreLayer layer(case_of<CappedScore>("capped", 4));
  EXPECT_THAT(
      message_of([&] { layer.attention.score().scores(cosines({1, 3, 4}), cosines({1, 3, 5})); }),
      HasSubstr("[capped_score] expected queries (B, [H,] Tq, D)"));
}

TEST(CappedScore, GoesWhereTheOthersGo) {
  ParameterStore store;
  const AttentionWith<CappedScore> attention(store.scope("attention"), {.query_size = 4});
  store.allocate({.seed = 1});
  const at::Tensor x = cosines({2, 3, 4}, 0, at::kFloat);
  const auto seen = attention.forward(x, x, x, Mask::causal(), {.return_weights = true});
  EXPECT_EQ(store.slots()[0]->name, "attention.cap");
  EXPECT_TRUE(close(seen.output[0][0], x[0][0]));  // the first query sees itself alone
}

}  // namespace
}  // namespace attend
