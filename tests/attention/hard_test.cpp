#include "attend/attention/hard.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "attend/attention/attention.h"
#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

at::Tensor soft(const at::Tensor& scores, const Mask& mask) {
  return ops::attend_with_scores(scores, cosines({scores.size(0), scores.size(2), 1}), mask,
                                 {.return_weights = true})
      .weights;
}

TEST(HardAttention, OutputIsTheChosenValue) {
  const at::Tensor v = cosines({2, 4, 3}, 2);
  for (uint64_t step = 0; step < 20; ++step) {
    const at::Tensor w = soft(cosines({2, 3, 4}), Mask::padding({4, 2}));
    const HardResult found = hard_attention(w, v, {.seed = 1, .step = step});
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < 3; ++i) {
        const int64_t j = found.chosen[b][i].item<int64_t>();
        EXPECT_LT(j, b == 0 ? 4 : 2);
        EXPECT_TRUE(identical(found.output[b][i], v[b][j]));
        EXPECT_NEAR(found.log_probability[b][i].item<double>(), std::log(w[b][i][j].item<double>()),
                    1e-12);
      }
  }
}

TEST(HardAttention, EvaluationTakesTheLargest) {
  const at::Tensor w = at::tensor({0.2, 0.4, 0.4, 0.0}, at::kDouble).view({1, 1, 4});
  for (uint64_t step = 0; step < 5; ++step)
    EXPECT_EQ(
        hard_attention(w, cosines({1, 4, 1}), {.draw = false, .step = step}).chosen.item<int64_t>(),
        1);
}

TEST(HardAttention, DeadQueriesAndNoKeys) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const std::vector<at::Tensor> in{leaf({2, 3, 4}, 0, dtype), leaf({2, 4, 3}, 1, dtype)};
    const TensorFunction f = [&](const auto& x) {
      const auto one = hard_attention(
          ops::attend_with_scores(x[0], x[1], Mask::padding({4, 0}), {.return_weights = true})
              .weights,
          x[1]);
      return at::cat({one.output, one.log_probability.unsqueeze(-1)}, -1);
    };
    EXPECT_TRUE(identical(f(in)[1], at::zeros({3, 4}, dtype)));
    const auto g = gradients_of(f, in);
    EXPECT_TRUE(all_finite(g[0]) && all_finite(g[1]));
    EXPECT_EQ(g[0][1].abs().sum().item<double>() + g[1][1].abs().sum().item<double>(), 0.0);
  }
  const HardResult none = hard_attention(cosines({2, 3, 0}), cosines({2, 0, 5}));
  EXPECT_TRUE(identical(none.output, at::zeros({2, 3, 5}, at::kDouble)));
  EXPECT_TRUE(none.chosen.eq(-1).all().item<bool>());
}

// The draw is a function of seed, step, site, sentence, head and query.
TEST(HardAttention, HangsNeitherOnPaddingNorOnNeighbours) {
  const at::Tensor scores = cosines({3, 2, 4, 5}), v = cosines({3, 2, 5, 3}, 2);
  const at::Tensor w = at::softmax(scores, -1);
  const HardOptions options{.seed = 3, .step = 8, .site = 2};
  const HardResult whole = hard_attention(w, v, options);
  EXPECT_TRUE(identical(hard_attention(w, v, options).chosen, whole.chosen));
  HardOptions second = options;
  second.rows = {1};
  const at::Tensor wide = at::cat({w.slice(0, 1, 2), at::zeros({1, 2, 4, 2}, at::kDouble)}, -1);
  const at::Tensor more = at::cat({v.slice(0, 1, 2), at::ones({1, 2, 2, 3}, at::kDouble)}, -2);
  EXPECT_TRUE(identical(hard_attention(wide, more, second).chosen, whole.chosen.slice(0, 1, 2)));
  HardOptions other = options;
  other.step = 9;
  EXPECT_FALSE(identical(hard_attention(w, v, other).chosen, whole.chosen));
}

TEST(HardAttention, DrawsAsOftenAsTheWeightsSay) {
  const at::Tensor w =
      at::tensor({0.5, 0.0, 0.3, 0.2}, at::kDouble).view({1, 1, 4}).expand({20000, 1, 4});
  const at::Tensor chosen = hard_attention(w, at::ones({20000, 4, 1}, at::kDouble)).chosen;
  double chi = 0.0;
  for (const auto& [key, p] : std::vector<std::pair<int, double>>{{0, 0.5}, {2, 0.3}, {3, 0.2}}) {
    const double expected = 20000 * p, seen = chosen.eq(key).sum().item<double>();
    chi += (seen - expected) * (seen - expected) / expected;
  }
  EXPECT_EQ(chosen.eq(1).sum().item<int64_t>(), 0);
  EXPECT_LT(chi, 13.8);  // two degrees of freedom, p = 0.001
}

TEST(HardAttention, GradientsInDouble) {
  const std::vector<at::Tensor> in{leaf({2, 3, 4}), leaf({2, 4, 3}, 1)};
  EXPECT_TRUE(check_gradients(
      [](const auto& x) {
        const auto one = hard_attention(at::softmax(x[0], -1), x[1], {.seed = 5});
        return at::cat({one.output, one.log_probability.unsqueeze(-1)}, -1);
      },
      in));
}

// Over many draws the surrogate's gradient is that of the expected reward, whatever the baseline.
TEST(Reinforce, IsUnbiased) {
  constexpr int64_t kDraws = 40000;
  const at::Tensor scores = at::tensor({0.3, -0.5, 0.9}, at::kDouble).set_requires_grad(true);
  const at::Tensor payoff = at::tensor({1.0, 4.0, 2.0}, at::kDouble);
  const at::Tensor expected =
      torch::autograd::grad({-(at::softmax(scores, -1) * payoff).sum()}, {scores})[0];
  const at::Tensor w = at::softmax(scores, -1).view({1, 1, 3}).expand({kDraws, 1, 3});
  const auto found = hard_attention(w, payoff.view({1, 3, 1}).expand({kDraws, 3, 1}), {.seed = 11});
  const at::Tensor reward = found.output.view({kDraws});
  double spread[2];
  for (const double b : {0.0, 2.0}) {
    const MovingBaseline baseline{.value = b};
    const at::Tensor g = torch::autograd::grad(
        {reinforce_loss(found.log_probability, reward, baseline) / kDraws}, {scores}, {}, true)[0];
    EXPECT_TRUE(close(g, expected, {0.0, 0.03})) << b;
    spread[b > 0] = (reward - b).square().mean().item<double>();
  }
  EXPECT_LT(spread[1], spread[0]);
}

TEST(Reinforce, TheBaselineMoves) {
  MovingBaseline baseline;
  baseline.update(at::tensor({2.0, 4.0}, at::kDouble));
  EXPECT_DOUBLE_EQ(baseline.value, 3.0);
  baseline.update(at::tensor({13.0}, at::kDouble));
  EXPECT_DOUBLE_EQ(baseline.value, 4.0);
  EXPECT_THROW(baseline.update({}), InvalidArgument);
}

TEST(Reinforce, LossByHand) {
  const at::Tensor logs = at::tensor({-1.0, -2.0, -3.0, -4.0}, at::kDouble).view({2, 2});
  const at::Tensor reward = at::tensor({5.0, 1.0}, at::kDouble);
  EXPECT_DOUBLE_EQ(reinforce_loss(logs, reward, {.value = 2.0}).item<double>(),
                   3.0 * 3.0 + 7.0 * -1.0);
  EXPECT_DOUBLE_EQ(reinforce_loss(logs.select(1, 0), reward, {}).item<double>(), 5.0 + 3.0);
}

TEST(AttentionEntropy, OfEqualAndOfOne) {
  const at::Tensor w =
      at::tensor({0.25, 0.25, 0.25, 0.25, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, at::kDouble)
          .view({3, 4});
  EXPECT_TRUE(close(attention_entropy(w), at::tensor({std::log(4.0), 0.0, 0.0}, at::kDouble)));
  EXPECT_TRUE(check_gradients(
      [](const auto& x) { return attention_entropy(soft(x[0], Mask::padding({4, 2, 0}))); },
      {leaf({3, 2, 4})}));
}

TEST(HardAttention, WrongArgumentsAreNamed) {
  EXPECT_THAT(
      message_of([] { hard_attention(cosines({2, 3, 4}), cosines({2, 5, 1})); }),
      HasSubstr("[hard_attention] expected weights (B, [H,] Tq, Tk) and values (B, [H,] Tk, "
                "Dv), found (2, 3, 4) and (2, 5, 1)"));
  EXPECT_THAT(message_of([] { hard_attention(cosines({2, 3, 4}), cosines({2, 4, 1})); }),
              HasSubstr("finite and at least 0, found -0.4"));
  EXPECT_THAT(
      message_of([] { hard_attention(at::ones({2, 3, 4}), at::ones({2, 4, 1}), {.rows = {1}}); }),
      HasSubstr("row numbers"));
  EXPECT_THROW(reinforce_loss(cosines({2, 3}), cosines({3}), {}), InvalidArgument);
}

TEST(HardAttention, OnCudaAsOnTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const at::Tensor w = at::softmax(cosines({2, 3, 4}), -1), v = cosines({2, 4, 3});
  const HardResult here = hard_attention(w, v),
                   there = hard_attention(w.to(at::kCUDA), v.to(at::kCUDA));
  EXPECT_TRUE(identical(there.chosen.cpu(), here.chosen));
  EXPECT_TRUE(identical(there.output.cpu(), here.output));
}

}  // namespace
}  // namespace attend
