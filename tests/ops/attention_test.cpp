#include "attend/ops/attention.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>

#include <limits>

#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<at::ScalarType> kDtypes{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};

// One row of the table: a golden, or sizes alone.
struct Case {
  std::string name;
  Mask mask;
};

std::vector<Case> golden_cases() {
  return {{"sdpa.plain", Mask::none()},
          {"sdpa.one", Mask::none()},
          {"sdpa.padding", Mask::padding({5, 1, 3})},
          {"sdpa.causal", Mask::causal()},
          {"sdpa.cached", Mask::causal()},
          {"sdpa.dense", Mask::dense(ops_goldens().get("sdpa.dense.mask"))}};
}

std::vector<at::Tensor> inputs_of(const std::string& name, at::ScalarType dtype) {
  std::vector<at::Tensor> inputs;
  for (const auto* part : {".q", ".k", ".v"})
    inputs.push_back(ops_goldens().get(name + part).to(dtype).set_requires_grad(true));
  return inputs;
}

TensorFunction sdpa_under(const Mask& mask, const AttentionOptions& options = {}) {
  return [=](const std::vector<at::Tensor>& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], mask, options).output;
  };
}

TEST(ScaledDotProduct, AgreesWithPyTorchInEveryDtype) {
  for (const Case& c : golden_cases())
    for (const auto dtype : kDtypes)
      EXPECT_TRUE(close(sdpa_under(c.mask)(inputs_of(c.name, dtype)),
                        ops_goldens().get(c.name + ".output").to(dtype)))
          << c.name << " " << dtype;
}

TEST(ScaledDotProduct, GradientsAgreeWithPyTorch) {
  for (const Case& c : golden_cases())
    for (const auto dtype : {at::kDouble, at::kFloat}) {
      const auto inputs = inputs_of(c.name, dtype);
      const at::Tensor direction =
          cosines(ops_goldens().get(c.name + ".output").sizes().vec(), 3.0, dtype);
      const auto found = gradients_of(sdpa_under(c.mask), inputs, direction);
      const Tolerance tolerance =
          dtype == at::kDouble ? Tolerance{1e-10, 1e-11} : Tolerance{1e-4, 1e-5};
      EXPECT_TRUE(close(found[0], ops_goldens().get(c.name + ".dq").to(dtype), tolerance))
          << c.name;
      EXPECT_TRUE(close(found[1], ops_goldens().get(c.name + ".dk").to(dtype), tolerance))
          << c.name;
      EXPECT_TRUE(close(found[2], ops_goldens().get(c.name + ".dv").to(dtype), tolerance))
          << c.name;
    }
}

std::vector<Mask> masks_of_two_by_three_by_four() {
  return {Mask::none(),       Mask::padding({4, 0}),
          Mask::causal(),     Mask::causal(-1) & Mask::padding({1, 3}),
          Mask::window(2, 0), Mask::dense(cosines({2, 2, 3, 4}).gt(-0.4))};
}

TEST(ScaledDotProduct, GradientsInDouble) {
  for (const Mask& mask : masks_of_two_by_three_by_four())
    EXPECT_TRUE(
        check_gradients(sdpa_under(mask, {.scale = 0.8}),
                        {leaf({2, 2, 3, 5}), leaf({2, 2, 4, 5}, 1), leaf({2, 2, 4, 3}, 2)}));
}

TEST(ScaledDotProduct, GradientsThroughTheWeights) {
  const TensorFunction f = [](const std::vector<at::Tensor>& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], Mask::padding({3, 0}),
                                        {.return_weights = true})
        .weights;
  };
  EXPECT_TRUE(
      check_gradients(f, {leaf({2, 2, 3, 5}), leaf({2, 2, 4, 5}, 1), leaf({2, 2, 4, 3}, 2)}));
}

// pytorch#160064, transformers#30652: asking for the weights changed the result.
TEST(ScaledDotProduct, AskingForWeightsChangesNothing) {
  for (const Mask& mask : masks_of_two_by_three_by_four())
    for (const double p : {0.0, 0.5}) {
      AttentionOptions options{.dropout = {.probability = p, .seed = 4}};
      const at::Tensor q = cosines({2, 2, 3, 5}), k = cosines({2, 2, 4, 5}, 1),
                       v = cosines({2, 2, 4, 3}, 2);
      const auto without = scaled_dot_product_attention(q, k, v, mask, options);
      options.return_weights = true;
      const auto with = scaled_dot_product_attention(q, k, v, mask, options);
      EXPECT_FALSE(without.weights.defined());
      EXPECT_TRUE(identical(with.output, without.output));
      EXPECT_EQ(with.weights.sizes(), at::IntArrayRef({2, 2, 3, 4}));
      if (p == 0.0) {
        EXPECT_TRUE(close(at::matmul(with.weights, v), with.output));
      }
    }
}

// pytorch#103749, #103963, #152028: a query without keys.
TEST(ScaledDotProduct, DeadQueriesGiveZerosAndLeaveTheOthersAlone) {
  at::Tensor may = at::ones({6, 10}, at::kBool);
  may[5].fill_(false);
  for (const auto dtype : kDtypes) {
    const std::vector<at::Tensor> in{leaf({1, 2, 6, 4}, 0, dtype), leaf({1, 2, 10, 4}, 1, dtype),
                                     leaf({1, 2, 10, 4}, 2, dtype)};
    const at::Tensor out = sdpa_under(Mask::dense(may))(in);
    const at::Tensor live = sdpa_under(Mask::none())({in[0].slice(2, 0, 5), in[1], in[2]});
    EXPECT_TRUE(close(out.slice(2, 0, 5), live));
    EXPECT_TRUE(identical(out.select(2, 5), at::zeros({1, 2, 4}, dtype)));
    const auto g = gradients_of(sdpa_under(Mask::dense(may)), in);
    for (const at::Tensor& each : g) EXPECT_TRUE(all_finite(each));
    EXPECT_EQ(g[0].select(2, 5).abs().sum().item<double>(), 0.0);
  }
}

// pytorch#41508: causal band and padding leave one query without a key; the loss does not look at
// it.
TEST(ScaledDotProduct, ADeadQueryChangesNoGradient) {
  const at::Tensor band = at::ones({3, 3}, at::kBool).tril(0).triu(-1);
  const at::Tensor real =
      at::tensor(std::vector<int64_t>{1, 1, 1, 0, 1, 1}, at::kLong).view({2, 3}).to(at::kBool);
  const Mask mask = Mask::dense(band) & Mask::keys(real);
  const std::vector<at::Tensor> in{leaf({2, 1, 3, 1}), leaf({2, 1, 3, 1}, 1),
                                   leaf({2, 1, 3, 1}, 2)};
  const TensorFunction whole = [&](const auto& x) { return sdpa_under(mask)(x).slice(2, 0, 1); };
  const TensorFunction live = [&](const auto& x) {
    return sdpa_under(mask)({x[0], x[1], x[2]}).slice(0, 0, 1).slice(2, 0, 1);
  };
  const at::Tensor direction = at::ones({2, 1, 1, 1}, at::kDouble);
  const auto found = gradients_of(whole, in, direction);
  const auto expected = gradients_of(live, in, direction.slice(0, 0, 1));
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(identical(found[i], expected[i]));
}

// pytorch#101967: 0 * NaN. The keys beyond a sentence's end hold garbage.
TEST(ScaledDotProduct, NothingUnderThePaddingLeaks) {
  for (const auto dtype : kDtypes)
    for (const double poison : {std::nan(""), kInfinity, -kInfinity, 6e4}) {
      const auto make = [&](double value) {
        std::vector<at::Tensor> in{cosines({2, 2, 3, 4}, 0, dtype), cosines({2, 2, 5, 4}, 1, dtype),
                                   cosines({2, 2, 5, 4}, 2, dtype)};
        in[1].slice(2, 3).fill_(value);
        in[2].slice(2, 3).fill_(value);
        for (at::Tensor& x : in) x.set_requires_grad(true);
        return in;
      };
      const auto dirty = make(poison), clean = make(0.0);
      const TensorFunction f = sdpa_under(Mask::padding({3, 2}));
      EXPECT_TRUE(identical(f(dirty), f(clean)));
      const auto found = gradients_of(f, dirty), right = gradients_of(f, clean);
      for (size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(identical(found[i], right[i])) << i << " " << dtype;
    }
}

// A key that some queries see and others don't: only those that see it are spoiled.
TEST(ScaledDotProduct, NaNReachesOnlyWhoSeesIt) {
  for (const bool in_values : {false, true}) {
    std::vector<at::Tensor> in{leaf({1, 1, 4, 3}), leaf({1, 1, 4, 3}, 1), leaf({1, 1, 4, 3}, 2)};
    const at::Tensor right = sdpa_under(Mask::causal())(in).detach();
    std::vector<at::Tensor> dirty{in[0], in[1].detach().clone(), in[2].detach().clone()};
    dirty[in_values ? 2 : 1].select(2, 2).select(2, 1).fill_(std::nan(""));
    for (at::Tensor& x : dirty) x.set_requires_grad(true);
    const at::Tensor out = sdpa_under(Mask::causal())(dirty);
    EXPECT_TRUE(close(out.slice(2, 0, 2), right.slice(2, 0, 2)));
    EXPECT_TRUE(out.slice(2, 2).isnan().all().item<bool>());
    // A loss on the first two queries has finite gradients, the same as without the NaN.
    const TensorFunction first = [](const auto& x) {
      return sdpa_under(Mask::causal())(x).slice(2, 0, 2);
    };
    const auto found = gradients_of(first, dirty), expected = gradients_of(first, in);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(close(found[i], expected[i])) << i;
  }
}

// A query that may see nothing, and holds NaN: padding of a target, say.
TEST(ScaledDotProduct, NaNInADeadQueryLeaksNowhere) {
  const at::Tensor lengths = at::tensor(std::vector<int64_t>{4, 4, 0}, at::kLong).view({1, 3});
  const std::vector<at::Tensor> in{leaf({1, 1, 3, 3}), leaf({1, 1, 4, 3}, 1),
                                   leaf({1, 1, 4, 3}, 2)};
  at::Tensor q = in[0].detach().clone();
  q.select(2, 2).fill_(std::nan(""));
  const std::vector<at::Tensor> dirty{q.set_requires_grad(true), in[1], in[2]};
  const TensorFunction f = sdpa_under(Mask::padding(lengths));
  EXPECT_TRUE(identical(f(dirty), f(in)));
  const auto found = gradients_of(f, dirty), expected = gradients_of(f, in);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(identical(found[i], expected[i])) << i;
}

TEST(ScaledDotProduct, InputsAreLeftAlone) {
  at::Tensor k = cosines({1, 1, 4, 3}, 1);
  k.select(2, 3).fill_(std::nan(""));
  const at::Tensor before = k.clone();
  sdpa_under(Mask::padding({3}))({cosines({1, 1, 2, 3}), k, k});
  EXPECT_TRUE(identical(k.slice(2, 0, 3), before.slice(2, 0, 3)));
  EXPECT_TRUE(k.select(2, 3).isnan().all().item<bool>());
}

// FasterTransformer#270: the result hung on how far the memory was padded.
TEST(ScaledDotProduct, PaddingTheKeysChangesNothing) {
  const at::Tensor q = cosines({1, 2, 3, 4}), k = cosines({1, 2, 6, 4}, 1),
                   v = cosines({1, 2, 6, 4}, 2);
  const at::Tensor alone = sdpa_under(Mask::none())({q, k, v});
  for (const int64_t length : {8, 16, 64}) {
    at::Tensor wide_k = at::full({1, 2, length, 4}, 7.0, at::kDouble), wide_v = wide_k.clone();
    wide_k.slice(2, 0, 6).copy_(k);
    wide_v.slice(2, 0, 6).copy_(v);
    EXPECT_TRUE(close(sdpa_under(Mask::padding({6}))({q, wide_k, wide_v}), alone));
  }
}

// x-transformers#187, #219: one query at a time against a cache.
TEST(ScaledDotProduct, CachedEqualsUncached) {
  for (int64_t n = 1; n <= 9; ++n) {
    const at::Tensor q = cosines({1, 2, n, 4}), k = cosines({1, 2, n, 4}, 1),
                     v = cosines({1, 2, n, 4}, 2);
    const at::Tensor whole = sdpa_under(Mask::causal())({q, k, v});
    for (int64_t i = 0; i < n; ++i)
      EXPECT_TRUE(close(sdpa_under(Mask::causal())(
                            {q.slice(2, i, i + 1), k.slice(2, 0, i + 1), v.slice(2, 0, i + 1)}),
                        whole.slice(2, i, i + 1)));
  }
}

// jadore801120#19: a target that leaks.
TEST(ScaledDotProduct, AFutureKeyChangesNothingBeforeIt) {
  const at::Tensor q = cosines({1, 1, 5, 4}), k = cosines({1, 1, 5, 4}, 1),
                   v = cosines({1, 1, 5, 4}, 2);
  const at::Tensor before = sdpa_under(Mask::causal())({q, k, v});
  for (int64_t j = 0; j < 5; ++j) {
    at::Tensor k2 = k.clone(), v2 = v.clone();
    k2.select(2, j).add_(3.0);
    v2.select(2, j).add_(3.0);
    const at::Tensor after = sdpa_under(Mask::causal())({q, k2, v2});
    EXPECT_TRUE(identical(after.slice(2, 0, j), before.slice(2, 0, j)));
    EXPECT_FALSE(identical(after.select(2, j), before.select(2, j)));
  }
}

// pytorch#190486: window 4 over 16 positions, the first 12 of them padding.
TEST(ScaledDotProduct, WindowOverPadding) {
  const at::Tensor real = at::ones({1, 16}, at::kBool);
  real.slice(1, 0, 12).fill_(false);
  const Mask mask = Mask::causal() & Mask::window(4) & Mask::keys(real);
  const auto out =
      scaled_dot_product_attention(cosines({1, 1, 16, 4}), cosines({1, 1, 16, 4}, 1),
                                   cosines({1, 1, 16, 4}, 2), mask, {.return_weights = true});
  EXPECT_TRUE(identical(out.output.slice(2, 0, 12), at::zeros({1, 1, 12, 4}, at::kDouble)));
  EXPECT_TRUE(close(out.weights.slice(2, 12).sum(-1), at::ones({1, 1, 4}, at::kDouble)));
}

TEST(ScaledDotProduct, NoKeysAtAll) {
  const std::vector<at::Tensor> in{leaf({2, 1, 3, 4}), leaf({2, 1, 0, 4}), leaf({2, 1, 0, 5})};
  for (const Mask& mask : {Mask::none(), Mask::padding({0, 0}), Mask::causal()}) {
    EXPECT_TRUE(identical(sdpa_under(mask)(in), at::zeros({2, 1, 3, 5}, at::kDouble)));
    EXPECT_TRUE(identical(gradients_of(sdpa_under(mask), in)[0], at::zeros_like(in[0])));
  }
  EXPECT_EQ(sdpa_under(Mask::none())(
                {cosines({2, 1, 0, 4}), cosines({2, 1, 3, 4}), cosines({2, 1, 3, 5})})
                .numel(),
            0);
  EXPECT_EQ(sdpa_under(Mask::none())(
                {cosines({0, 1, 2, 4}), cosines({0, 1, 3, 4}), cosines({0, 1, 3, 5})})
                .numel(),
            0);
}

TEST(ScaledDotProduct, OneKeyIsTheAnswer) {
  const at::Tensor v = cosines({2, 1, 1, 5});
  EXPECT_TRUE(close(sdpa_under(Mask::none())({cosines({2, 1, 3, 4}), cosines({2, 1, 1, 4}), v}),
                    v.expand({2, 1, 3, 5})));
}

TEST(ScaledDotProduct, PermutingKeysPermutesWeights) {
  const at::Tensor order = at::tensor(std::vector<int64_t>{2, 0, 3, 1}, at::kLong);
  const at::Tensor q = cosines({1, 2, 3, 5}), k = cosines({1, 2, 4, 5}, 1),
                   v = cosines({1, 2, 4, 5}, 2);
  const auto one = scaled_dot_product_attention(q, k, v, Mask::none(), {.return_weights = true});
  const auto two =
      scaled_dot_product_attention(q, k.index_select(2, order), v.index_select(2, order),
                                   Mask::none(), {.return_weights = true});
  EXPECT_TRUE(close(two.output, one.output));
  EXPECT_TRUE(close(two.weights, one.weights.index_select(3, order)));
}

TEST(ScaledDotProduct, OutputsLieInTheValuesHull) {
  const at::Tensor v = cosines({2, 2, 4, 3}, 2);
  const at::Tensor out =
      sdpa_under(Mask::none())({cosines({2, 2, 3, 5}).mul(9), cosines({2, 2, 4, 5}, 1), v});
  EXPECT_TRUE(out.le(v.amax(2, true).add(1e-12)).all().item<bool>());
  EXPECT_TRUE(out.ge(v.amin(2, true).sub(1e-12)).all().item<bool>());
}

// transformers#31468: weights after dropout do not sum to 1.
TEST(AttentionDropout, WeightsAreReturnedBeforeIt) {
  const at::Tensor q = cosines({2, 2, 3, 5}), k = cosines({2, 2, 4, 5}, 1),
                   v = cosines({2, 2, 4, 3}, 2);
  const auto plain = scaled_dot_product_attention(q, k, v, Mask::none(), {.return_weights = true});
  const auto dropped = scaled_dot_product_attention(
      q, k, v, Mask::none(), {.return_weights = true, .dropout = {.probability = 0.5, .seed = 1}});
  EXPECT_TRUE(identical(dropped.weights, plain.weights));
  EXPECT_TRUE(close(dropped.weights.sum(-1), at::ones({2, 2, 3}, at::kDouble)));
  EXPECT_FALSE(close(dropped.output, plain.output));
}

// pytorch#152028: dead queries and dropout.
TEST(AttentionDropout, StaysFiniteOverDeadQueries) {
  at::Tensor may = at::ones({2, 1, 3, 4}, at::kBool);
  may.select(0, 1).select(1, 1).fill_(false);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const TensorFunction f =
        sdpa_under(Mask::dense(may), {.dropout = {.probability = 0.5, .seed = seed}});
    const std::vector<at::Tensor> in{leaf({2, 2, 3, 8}), leaf({2, 2, 4, 8}, 1),
                                     leaf({2, 2, 4, 8}, 2)};
    EXPECT_TRUE(all_finite(f(in)));
    for (const at::Tensor& g : gradients_of(f, in)) EXPECT_TRUE(all_finite(g));
  }
}

TEST(AttentionDropout, GradientsInDouble) {
  const AttentionOptions options{.dropout = {.probability = 0.4, .seed = 2}, .site = 5};
  EXPECT_TRUE(check_gradients(sdpa_under(Mask::padding({3, 0}), options),
                              {leaf({2, 2, 3, 5}), leaf({2, 2, 4, 5}, 1), leaf({2, 2, 4, 3}, 2)}));
}

// A shard, cut shorter than its batch, draws what the batch draws.
TEST(AttentionDropout, HangsNeitherOnShardsNorOnPadding) {
  const at::Tensor q = cosines({4, 2, 3, 5}), k = cosines({4, 2, 6, 5}, 1),
                   v = cosines({4, 2, 6, 3}, 2);
  AttentionOptions options{.dropout = {.probability = 0.5, .seed = 2}, .site = 5};
  const at::Tensor whole = sdpa_under(Mask::padding({6, 6, 4, 2}), options)({q, k, v});
  options.rows = {2, 3};
  const at::Tensor shard = sdpa_under(Mask::padding({4, 2}), options)(
      {q.slice(0, 2).slice(2, 0, 2), k.slice(0, 2).slice(2, 0, 4), v.slice(0, 2).slice(2, 0, 4)});
  EXPECT_TRUE(close(shard, whole.slice(0, 2).slice(2, 0, 2)));
}

TEST(ScaledDotProduct, WrongShapesNameWhatWasExpected) {
  const auto call = [](const std::vector<int64_t>& q, const std::vector<int64_t>& k,
                       const std::vector<int64_t>& v) {
    return message_of(
        [&] { scaled_dot_product_attention(cosines(q), cosines(k), cosines(v), Mask::none()); });
  };
  EXPECT_EQ(
      call({2, 3, 4}, {2, 1, 3, 4}, {2, 1, 3, 4}),
      "[scaled_dot_product_attention] expected q (B, H, Tq, Dh), k (B, H, Tk, Dh) and v (B, H, "
      "Tk, Dv), or a divisor of H in both, found (2, 3, 4), (2, 1, 3, 4) and (2, 1, 3, 4)");
  EXPECT_THAT(call({2, 1, 3, 4}, {2, 1, 3, 5}, {2, 1, 3, 4}), HasSubstr("(2, 1, 3, 5)"));
  EXPECT_THAT(call({2, 1, 3, 4}, {2, 1, 3, 4}, {2, 1, 4, 4}), HasSubstr("(2, 1, 4, 4)"));
  EXPECT_THAT(call({2, 1, 3, 4}, {1, 1, 3, 4}, {1, 1, 3, 4}), HasSubstr("(1, 1, 3, 4)"));
  EXPECT_THAT(call({2, 3, 3, 4}, {2, 2, 3, 4}, {2, 2, 3, 4}), HasSubstr("(2, 2, 3, 4)"));
  EXPECT_THAT(message_of([] {
                scaled_dot_product_attention(cosines({1, 1, 2, 2}),
                                             cosines({1, 1, 2, 2}, 0, at::kFloat),
                                             cosines({1, 1, 2, 2}), Mask::none());
              }),
              HasSubstr("found Double on cpu, Float on cpu and Double on cpu"));
  EXPECT_THAT(message_of([] {
                scaled_dot_product_attention(cosines({1, 1, 2, 2}), cosines({1, 1, 2, 2}),
                                             cosines({1, 1, 2, 2}), Mask::none(), {.rows = {1, 2}});
              }),
              HasSubstr("row numbers"));
  EXPECT_THROW(scaled_dot_product_attention({}, {}, {}, Mask::none()), InvalidArgument);
  for (const double p : {-0.1, 1.0, 1.5})
    EXPECT_THAT(message_of([&] {
                  const at::Tensor x = cosines({1, 1, 2, 2});
                  scaled_dot_product_attention(x, x, x, Mask::none(),
                                               {.dropout = {.probability = p}});
                }),
                HasSubstr("probability in [0, 1)"));
}

}  // namespace
}  // namespace attend::ops
