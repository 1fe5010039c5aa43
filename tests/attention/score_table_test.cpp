// What holds for every score under every normaliser, with heads and without: one table.
#include "tests/attention/score_table.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <limits>

#include "attend/core/errors.h"
#include "tests/support/golden.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

ScoreCase named(ScoreKind kind, const std::string& name, int64_t key_size) {
  return {name, key_size, [kind](const ParameterScope& scope, const ScoreOptions& options) {
            return make_score(kind, scope, options);
          }};
}

std::vector<ScoreCase> scores() {
  return {
      named(ScoreKind::kAdditive, "additive", 5),    named(ScoreKind::kDot, "dot", 4),
      named(ScoreKind::kScaledDot, "scaled_dot", 4), named(ScoreKind::kBilinear, "bilinear", 5),
      named(ScoreKind::kCosine, "cosine", 4),        named(ScoreKind::kGaussian, "gaussian", 4)};
}

// Those that goldens are stored for.
struct GoldenTable : ScoreTable {};

TEST_P(GoldenTable, AgreesWithTheFormulaInEveryDtype) {
  static const Goldens goldens("attention/goldens.safetensors");
  for (const int64_t heads : {1, 2})
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const std::string prefix = score().name + "." + std::to_string(heads) + ".";
      const ScoreLayer layer(score(), heads, dtype);
      const auto in = inputs(heads, dtype);
      const Tolerance tolerance =
          dtype == at::kBFloat16 ? Tolerance{0.06, 0.06} : tolerance_of(dtype);
      const auto found =
          layer.attention.forward(in[0], in[1], in[2], Mask::padding({4, 2}), options());
      EXPECT_TRUE(
          close(found.output, goldens.get(prefix + name() + ".output").to(dtype), tolerance));
      EXPECT_TRUE(
          close(found.weights, goldens.get(prefix + name() + ".weights").to(dtype), tolerance));
      const Score& pairs = layer.attention.score();
      EXPECT_TRUE(close(pairs.scores(in[0], pairs.project_keys(in[1])),
                        goldens.get(prefix + "scores").to(dtype), tolerance));
    }
}

TEST_P(ScoreTable, GradientsInDouble) {
  for (const int64_t heads : {1, 2}) {
    const ScoreLayer layer(score(), heads);
    for (const Mask& mask : {Mask::none(), Mask::padding({3, 0}), Mask::causal(-1)})
      EXPECT_TRUE(check_gradients(output(layer, mask), with_parameters(layer, inputs(heads))));
  }
}

TEST_P(ScoreTable, DeadRowsAndLengthZeroGiveZeros) {
  for (const int64_t heads : {1, 2})
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const ScoreLayer layer(score(), heads, dtype);
      const auto in = with_parameters(layer, inputs(heads, dtype));
      const Mask mask = Mask::padding({4, 0}) & Mask::causal(-1);  // the first query sees no key
      const auto found = layer.attention.forward(in[0], in[1], in[2], mask, options());
      EXPECT_TRUE(all_finite(found.output) && all_finite(found.weights));
      EXPECT_EQ(found.output.select(-2, 0).abs().sum().item<double>(), 0.0);
      EXPECT_EQ(found.output[1].abs().sum().item<double>(), 0.0);
      EXPECT_EQ(found.weights[1].abs().sum().item<double>(), 0.0);
      const auto g = gradients_of(output(layer, mask), in);
      for (const at::Tensor& each : g) EXPECT_TRUE(all_finite(each));
      EXPECT_EQ(g[0].select(-2, 0).abs().sum().item<double>(), 0.0);
      EXPECT_EQ(g[1][1].abs().sum().item<double>(), 0.0);
    }
}

TEST_P(ScoreTable, OneKeyAndNone) {
  for (const int64_t heads : {1, 2}) {
    const ScoreLayer layer(score(), heads);
    const at::Tensor q = tensor(2, heads, 3, 4, 0), v = tensor(2, heads, 1, 3, 2);
    const auto one = layer.attention.forward(q, tensor(2, heads, 1, score().key_size, 1), v,
                                             Mask::none(), options());
    if (sums_to_one()) {
      EXPECT_TRUE(close(one.output, v.expand_as(one.output)));
    }
    const std::vector<at::Tensor> in{q, tensor(2, heads, 0, score().key_size, 1),
                                     tensor(2, heads, 0, 3, 2)};
    EXPECT_TRUE(identical(output(layer, Mask::none())(in), at::zeros_like(one.output)));
    EXPECT_TRUE(identical(output(layer, Mask::padding({0, 0}))(in), at::zeros_like(one.output)));
    for (const at::Tensor& g : gradients_of(output(layer, Mask::none()), in))
      EXPECT_TRUE(all_finite(g));
  }
}

// However the hidden keys look, values and all gradients are those without them.
TEST_P(ScoreTable, PaddingAndNeighboursChangeNothing) {
  for (const int64_t heads : {1, 2})
    for (const double garbage :
         {std::nan(""), std::numeric_limits<double>::infinity(), 1e30, 7.0}) {
      const ScoreLayer layer(score(), heads, at::kFloat);
      const auto clean = inputs(heads, at::kFloat);
      std::vector<at::Tensor> alone, wide;
      for (const at::Tensor& x : clean) alone.push_back(x.detach()[0].unsqueeze(0).clone());
      alone[1] = alone[1].slice(-2, 0, 3), alone[2] = alone[2].slice(-2, 0, 3);
      for (const at::Tensor& x : clean) {
        std::vector<int64_t> more = x.sizes().vec();
        more[more.size() - 2] = 5;
        wide.push_back(&x == &clean[0] ? x.detach().clone()
                                       : at::cat({x.detach(), at::full(more, 0, x.options())}, -2));
      }
      for (at::Tensor& x : {std::ref(wide[1]), std::ref(wide[2])}) {
        x[0].slice(-2, 3).fill_(garbage);
        x[1].fill_(garbage);  // a neighbour without a key, and its queries
      }
      wide[0][1].fill_(garbage);
      for (at::Tensor& x : alone) x.set_requires_grad(true);
      for (at::Tensor& x : wide) x.set_requires_grad(true);
      const auto a = with_parameters(layer, alone), w = with_parameters(layer, wide);
      const TensorFunction single = output(layer, Mask::none());
      const TensorFunction beside = output(layer, Mask::padding({3, 0}));
      EXPECT_TRUE(close(beside(w)[0].unsqueeze(0), single(a)));
      const at::Tensor direction = cosines(single(a).sizes().vec(), 0.7, at::kFloat);
      const auto expected = gradients_of(single, a, direction);
      const auto found = gradients_of(
          beside, w, at::cat({direction, at::ones(direction.sizes(), direction.options())}));
      for (size_t i = 3; i < a.size(); ++i)
        EXPECT_TRUE(close(found[i], expected[i], {1e-4, 1e-5})) << i << " " << garbage;
      EXPECT_TRUE(close(found[0][0].unsqueeze(0), expected[0], {1e-4, 1e-5})) << garbage;
      EXPECT_TRUE(close(found[1][0].unsqueeze(0).slice(-2, 0, 3), expected[1], {1e-4, 1e-5}));
      for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(all_finite(found[i])) << i << " " << garbage;
    }
}

TEST_P(ScoreTable, PermutingKeysPermutesWeights) {
  const at::Tensor order = at::tensor(std::vector<int64_t>{2, 0, 3, 1}, at::kLong);
  const ScoreLayer layer(score(), 2);
  const auto in = inputs(2);
  const auto one = layer.attention.forward(in[0], in[1], in[2], Mask::none(), options());
  const auto two = layer.attention.forward(in[0], in[1].index_select(2, order),
                                           in[2].index_select(2, order), Mask::none(), options());
  EXPECT_TRUE(close(two.output, one.output));
  EXPECT_TRUE(close(two.weights, one.weights.index_select(3, order)));
}

TEST_P(ScoreTable, WeightsSumToOneAndOutputsLieInTheHull) {
  if (!sums_to_one()) GTEST_SKIP() << "without a normaliser weights are scores";
  const ScoreLayer layer(score(), 2);
  const auto in = inputs(2);
  const auto found =
      layer.attention.forward(in[0] * 9, in[1], in[2], Mask::padding({4, 2}), options());
  EXPECT_TRUE(close(found.weights.sum(-1), at::ones({2, 2, 3}, at::kDouble)));
  EXPECT_TRUE(found.weights.ge(0.0).all().item<bool>());
  EXPECT_TRUE(close(at::matmul(found.weights, in[2]), found.output));
  EXPECT_TRUE(found.output.le(in[2].amax(2, true).add(1e-12)).all().item<bool>());
  EXPECT_TRUE(found.output.ge(in[2].amin(2, true).sub(1e-12)).all().item<bool>());
}

TEST_P(ScoreTable, AFutureTokenChangesNothingBeforeIt) {
  const ScoreLayer layer(score(), 2);
  const at::Tensor q = tensor(1, 2, 4, 4, 0);
  at::Tensor k = tensor(1, 2, 4, score().key_size, 1).detach(), v = tensor(1, 2, 4, 3, 2).detach();
  const at::Tensor before = output(layer, Mask::causal())({q, k, v});
  for (int64_t j = 0; j < 4; ++j) {
    at::Tensor k2 = k.clone(), v2 = v.clone();
    k2.select(2, j).add_(3.0);
    v2.select(2, j).add_(3.0);
    const at::Tensor after = output(layer, Mask::causal())({q, k2, v2});
    EXPECT_TRUE(identical(after.slice(2, 0, j), before.slice(2, 0, j)));
  }
}

TEST_P(ScoreTable, AskingForWeightsAndDropout) {
  for (const int64_t heads : {1, 2}) {
    const ScoreLayer layer(score(), heads);
    const auto in = inputs(heads);
    const Mask mask = Mask::padding({4, 2});
    for (const double p : {0.0, 0.5}) {
      ops::AttentionOptions o = options();
      o.dropout = {.probability = p, .seed = 4};
      o.site = 3;
      const auto with = layer.attention.forward(in[0], in[1], in[2], mask, o);
      o.return_weights = false;
      const auto without = layer.attention.forward(in[0], in[1], in[2], mask, o);
      EXPECT_FALSE(without.weights.defined());
      EXPECT_TRUE(identical(with.output, without.output));
      EXPECT_TRUE(identical(with.weights,
                            layer.attention.forward(in[0], in[1], in[2], mask, options()).weights));
      // The second sentence alone draws what it drew beside the first.
      o.rows = {1};
      const auto second = [](const at::Tensor& x) { return x.slice(0, 1, 2); };
      EXPECT_TRUE(close(layer.attention
                            .forward(second(in[0]), second(in[1]).slice(-2, 0, 2),
                                     second(in[2]).slice(-2, 0, 2), Mask::none(), o)
                            .output,
                        second(with.output)));
    }
  }
}

TEST_P(ScoreTable, KeysProjectedOnceServeEveryStep) {
  const ScoreLayer layer(score(), 2);
  const auto in = inputs(2);
  const at::Tensor whole = output(layer, Mask::padding({4, 2}))(in);
  const at::Tensor projected = layer.attention.project_keys(in[1]);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(close(layer.attention
                          .forward_projected(in[0].slice(2, i, i + 1), projected, in[2],
                                             Mask::padding({4, 2}), options())
                          .output,
                      whole.slice(2, i, i + 1)));
}

// A query that does see a NaN becomes NaN, alone, and passes no gradient on.
TEST_P(ScoreTable, WhatIsSeenAndNotFiniteSpoilsItsQueriesAlone) {
  const ScoreLayer layer(score(), 2);
  const auto clean = inputs(2);
  std::vector<at::Tensor> dirty;
  for (const at::Tensor& x : clean) dirty.push_back(x.detach().clone());
  dirty[1].select(2, 3).fill_(std::nan(""));
  for (at::Tensor& x : dirty) x.set_requires_grad(true);
  const TensorFunction f = output(layer, Mask::causal());  // the last query alone sees key 3
  const at::Tensor out = f(dirty);
  EXPECT_TRUE(identical(out.slice(2, 0, 2), f(clean).slice(2, 0, 2)));
  EXPECT_TRUE(out.select(2, 2).isnan().all().item<bool>());
  for (const at::Tensor& g : gradients_of(f, with_parameters(layer, dirty)))
    EXPECT_TRUE(all_finite(g));
}

TEST_P(ScoreTable, ABiasIsAddedToTheScores) {
  const ScoreLayer layer(score(), 2);
  std::vector<at::Tensor> in = with_parameters(layer, inputs(2));
  in.push_back(leaf({2, 3, 4}, 5));  // (H, Tq, Tk)
  const Mask mask = Mask::padding({4, 2});
  const TensorFunction f = [&](const auto& x) {
    ops::AttentionOptions o = options();
    o.bias = x.back();
    return layer.attention.forward(x[0], x[1], x[2], mask, o).output;
  };
  const Score& pairs = layer.attention.score();
  const at::Tensor scores = pairs.scores(in[0], pairs.project_keys(in[1])) + in.back();
  EXPECT_TRUE(close(f(in), ops::attend_with_scores(scores, in[2], mask, options()).output));
  const TensorFunction of_bias = [&](const auto& x) {
    std::vector<at::Tensor> all = in;
    all.back() = x[0];
    return f(all);
  };
  EXPECT_TRUE(check_gradients(of_bias, {in.back()}));
}

TEST_P(ScoreTable, OnCudaAsOnTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  for (const int64_t heads : {1, 2})
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const ScoreLayer here(score(), heads, dtype), there(score(), heads, dtype, at::kCUDA);
      const auto in = inputs(heads, dtype);
      std::vector<at::Tensor> moved;
      for (const at::Tensor& x : in)
        moved.push_back(x.detach().to(at::kCUDA).set_requires_grad(true));
      const Mask mask = Mask::padding({4, 2});
      const Tolerance tolerance =
          dtype == at::kBFloat16 ? Tolerance{0.06, 0.06} : tolerance_of(dtype);
      EXPECT_TRUE(close(output(there, mask)(moved).cpu(), output(here, mask)(in), tolerance));
      if (dtype == at::kBFloat16) continue;
      const auto found = gradients_of(output(there, mask), with_parameters(there, moved));
      const auto expected = gradients_of(output(here, mask), with_parameters(here, in));
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(close(found[i].cpu(), expected[i], {1e-4, 1e-5})) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Scores, GoldenTable, every_normaliser(scores()), name_of_row);
INSTANTIATE_TEST_SUITE_P(Scores, ScoreTable, every_normaliser(scores()), name_of_row);

template <class S>
void expect_the_same(ScoreKind kind) {
  const ScoreOptions sizes{.query_size = 4, .key_size = 4, .hidden = 6};
  ParameterStore by_type, by_name;
  const AttentionWith<S> typed(by_type.scope("a"), sizes);
  const Attention named(kind, by_name.scope("a"), sizes);
  by_type.allocate({.seed = 3});
  by_name.allocate({.seed = 3});
  const at::Tensor q = cosines({2, 3, 4}, 0, at::kFloat), k = cosines({2, 5, 4}, 1, at::kFloat);
  EXPECT_TRUE(identical(typed.forward(q, k, k, Mask::none()).output,
                        named.forward(q, k, k, Mask::none()).output));
}

TEST(Swapping, ByTypeIsByName) {
  expect_the_same<AdditiveScore>(ScoreKind::kAdditive);
  expect_the_same<DotScore>(ScoreKind::kDot);
  expect_the_same<ScaledDotScore>(ScoreKind::kScaledDot);
  expect_the_same<BilinearScore>(ScoreKind::kBilinear);
  expect_the_same<CosineScore>(ScoreKind::kCosine);
  expect_the_same<GaussianScore>(ScoreKind::kGaussian);
}

// Luong et al. 2015, 3.1, "location" apart: a score that is not ours.
struct LocationScore final : Score {
  at::Tensor scores(const at::Tensor& queries, const at::Tensor& projected) const override {
    return projected.select(-1, 0).unsqueeze(-2).expand(
        {queries.size(0), queries.size(1), projected.size(1)});
  }
};

TEST(Swapping, AScoreOfOnesOwn) {
  const at::Tensor q = cosines({2, 3, 4}), k = cosines({2, 5, 2}, 1);
  const Attention own(std::make_shared<LocationScore>());
  const auto found = own.forward(q, k, k, Mask::none(), {.return_weights = true});
  EXPECT_TRUE(close(found.weights.select(1, 0), k.select(-1, 0).softmax(-1)));
  EXPECT_THROW(Attention(std::shared_ptr<const Score>()), InvalidArgument);
  EXPECT_THAT(message_of([&] {
                ops::attend_by([](const auto& a, const auto&) { return a; }, q, k, k, Mask::none());
              }),
              HasSubstr("[attend_by] expected a score function that gives (2, 3, 5), found "
                        "(2, 3, 4)"));
}

TEST(Swapping, WrongSizesAreNamed) {
  ParameterStore store;
  const auto make = [&](ScoreKind kind, const ScoreOptions& options) {
    return message_of([&] { make_score(kind, store.scope(), options); });
  };
  EXPECT_THAT(make(ScoreKind::kDot, {.query_size = 4, .key_size = 5}),
              HasSubstr("[dot_score] expected queries and keys of one size, found query_size 4 and "
                        "key_size 5"));
  EXPECT_THAT(make(ScoreKind::kAdditive, {}), HasSubstr("expected a query_size"));
  EXPECT_THAT(make(ScoreKind::kCosine, {.query_size = 4, .heads = 0}), HasSubstr("0 heads"));
  const ScoreLayer two(named(ScoreKind::kAdditive, "additive", 5), 2);
  EXPECT_THAT(message_of([&] {
                two.attention.forward(cosines({2, 3, 3, 4}), cosines({2, 3, 4, 5}),
                                      cosines({2, 3, 4, 3}), Mask::none());
              }),
              HasSubstr("expected (B, 2, T, 5), found (2, 3, 4, 5)"));
  EXPECT_THAT(
      message_of([&] {
        ops::scaled_dot_product_attention(cosines({1, 2, 3, 4}), cosines({1, 2, 5, 4}),
                                          cosines({1, 2, 5, 4}), Mask::none(),
                                          {.bias = cosines({3, 3, 5})});
      }),
      HasSubstr("a bias that can be repeated to the scores, (1, 2, 3, 5), found (3, 3, 5)"));
}

// Vectors of length 0 score 0, with gradients that are finite.
TEST(CosineScore, AtLengthZero) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    const ScoreLayer layer(named(ScoreKind::kCosine, "cosine", 4), 1, dtype);
    const std::vector<at::Tensor> in{at::zeros({1, 2, 4}, dtype).set_requires_grad(true),
                                     leaf({1, 3, 4}, 1, dtype)};
    const TensorFunction f = [&](const auto& x) {
      return layer.attention.score().scores(x[0], layer.attention.project_keys(x[1]));
    };
    EXPECT_TRUE(identical(f(in), at::zeros({1, 2, 3}, dtype)));
    for (const at::Tensor& g : gradients_of(f, in)) EXPECT_TRUE(all_finite(g));
  }
}

}  // namespace
}  // namespace attend
