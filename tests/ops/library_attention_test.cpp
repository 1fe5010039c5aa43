// Attention by LibTorch's own, here on the CPU, against the composed twin.
#include "attend/ops/library_attention.h"

#include <ATen/ops/where.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/ops/attention_cases.h"

namespace attend::ops {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// As scaled_dot_product_attention() hands it over on CUDA.
AttentionResult by_library(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const Mask& mask, const AttentionOptions& options) {
  at::Tensor bias = options.bias;
  if (bias.defined()) bias = bias.unsqueeze(0);
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))));
  return {detail::library_attention({q, k, v, bias, options.distance_bias}, mask, scale), {}};
}

std::vector<Case> own_cases() {
  std::vector<Case> own;
  for (Case& c : cases())
    if (!c.drops) own.push_back(c);
  own.push_back(
      {"all but dropout", 37, 70, Mask::window(20) & Mask::padding({70, 0}), 2, true, true});
  own.push_back({"grouped", 37, 70, {}, 2});
  own.push_back({"causal, all real", 70, 70, Mask::causal() & Mask::padding({70, 70}), 1});
  own.push_back({"causal, each from its own on", 70, 70, Mask::causal(-3)});
  own.push_back({"more queries than keys", 70, 37, Mask::causal()});
  return own;
}

// The same numbers, NaN in the same places.
void expect_same(const at::Tensor& found, const at::Tensor& expected, Tolerance tolerance) {
  EXPECT_TRUE(found.isnan().equal(expected.isnan())) << "NaN elsewhere";
  EXPECT_TRUE(close(found.nan_to_num(0.0), expected.nan_to_num(0.0), tolerance));
}

void expect_the_twin(const Case& c, const std::vector<at::Tensor>& in) {
  const Tolerance tolerance =
      in[0].scalar_type() == at::kDouble ? Tolerance{1e-10, 1e-11} : Tolerance{1e-4, 2e-5};
  const TensorFunction own = function(c, by_library),
                       twin = function(c, scaled_dot_product_attention_composed);
  expect_same(own(in), twin(in), tolerance);
  const auto found = gradients_of(own, in), expected = gradients_of(twin, in);
  for (size_t i = 0; i < in.size(); ++i) {
    SCOPED_TRACE("input " + std::to_string(i));
    EXPECT_TRUE(close(found[i], expected[i], tolerance));
  }
}

TEST(LibraryAttention, AgreesWithTheTwin) {
  for (const Case& c : own_cases())
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      SCOPED_TRACE(c.name + (dtype == at::kFloat ? ", float" : ", double"));
      expect_the_twin(c, inputs(c, dtype));
    }
}

// Where keys and values are as wide, LibTorch takes its flash kernel.
TEST(LibraryAttention, AgreesWithTheTwinWhereFlashRuns) {
  for (const Case& c : own_cases())
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      SCOPED_TRACE(c.name + (dtype == at::kFloat ? ", float" : ", double"));
      auto in = inputs(c, dtype);
      in[2] = heads(c.key_heads, c.keys, kWidth, 2, dtype);
      expect_the_twin(c, in);
    }
}

TEST(LibraryAttention, GradientsAreThoseOfCentralDifferences) {
  for (const Mask& mask : {Mask::none(), Mask::causal() & Mask::padding({3, 0})}) {
    const TensorFunction f = [&](const auto& in) {
      return by_library(in[0], in[1], in[2], mask,
                        {.scale = 0.3, .bias = in[3], .distance_bias = in[4]})
          .output;
    };
    EXPECT_TRUE(check_gradients(f, {leaf({2, 2, 3, 3}), leaf({2, 1, 4, 3}, 1),
                                    leaf({2, 1, 4, 2}, 2), leaf({2, 3, 4}, 3), leaf({2, 6}, 4)}));
  }
}

TEST(LibraryAttention, TakesTheScale) {
  const at::Tensor q = cosines({2, 2, 3, 5}), k = cosines({2, 2, 4, 5}, 1);
  for (const double scale : {0.1, 3.0})
    EXPECT_TRUE(close(
        by_library(q, k, k, Mask::causal(), {.scale = scale}).output,
        scaled_dot_product_attention_composed(q, k, k, Mask::causal(), {.scale = scale}).output));
}

TEST(LibraryAttention, AQueryThatSeesNothingGivesZeros) {
  const Case masks[] = {{"padding", 37, 70, Mask::padding({70, 0})},
                        {"causal from -5 on", 37, 70, Mask::causal(-5)},
                        {"with biases", 37, 70, Mask::padding({70, 0}), 2, true, true}};
  for (const Case& c : masks) {
    SCOPED_TRACE(c.name);
    auto in = inputs(c, at::kFloat);
    for (at::Tensor& x : in) x = x.detach().mul(30.0).set_requires_grad(true);
    const at::Tensor live = c.mask.materialise(kBatch, 1, 37, 70, at::kCPU)
                                .any(-1, true)
                                .expand({kBatch, kHeads, 37, 1});
    const at::Tensor dead = live.logical_not();
    const TensorFunction own = function(c, by_library);
    const auto zero = [&](const at::Tensor& x) {
      return x.masked_select(dead).eq(0).all().item<bool>();
    };
    EXPECT_TRUE(zero(own(in)));
    EXPECT_TRUE(zero(gradients_of(own, in)[0])) << "the query's gradient";
    // All that arrives from dead queries.
    const at::Tensor from_dead = dead.to(at::kFloat).expand({kBatch, kHeads, 37, kValues});
    for (const at::Tensor& d : gradients_of(own, in, from_dead))
      EXPECT_TRUE(d.eq(0).all().item<bool>());
  }
}

// In a row of each input in turn: whoever may see it gets NaN, all others what they had, and no
// gradient is spoiled.
TEST(LibraryAttention, NaNReachesThoseThatMaySeeIt) {
  const Case masks[] = {{"causal", 70, 70, Mask::causal(), 2},
                        {"cached", 5, 70, Mask::causal(), 2},
                        {"from the first key on", 37, 70, Mask::causal(0), 2},
                        {"padding", 37, 70, Mask::padding({69, 3})},
                        {"dead", 37, 70, Mask::padding({70, 0}), 1},
                        {"dense", 37, 70, Mask::dense(cosines({kBatch, kHeads, 37, 70}).gt(0.3))},
                        {"biases", 37, 70, Mask::causal() & Mask::padding({69, 3}), 2, true, true}};
  for (const Case& c : masks)
    for (const double poison : {kNaN, -std::numeric_limits<double>::infinity()})
      for (const size_t which : {0, 1, 2}) {
        SCOPED_TRACE(c.name + ", input " + std::to_string(which));
        const auto clean = inputs(c, at::kDouble);
        std::vector<at::Tensor> in;
        for (const at::Tensor& x : clean) in.push_back(x.detach().clone());
        in[which].select(2, 4).select(-1, 1).fill_(poison);
        for (at::Tensor& x : in) x.set_requires_grad(true);
        expect_the_twin(c, in);
        const at::Tensor out = function(c, by_library)(in);
        const at::Tensor hits = out.isnan(), before = function(c, by_library)(clean);
        EXPECT_GT(hits.sum().item<int64_t>(), 0);
        EXPECT_TRUE(close(at::where(hits, before, out), before));
      }
}

TEST(LibraryAttention, NaNInABiasUnderAMaskReachesNothing) {
  const Case c{"", 37, 70, Mask::causal(0) & Mask::padding({70, 0}), 2, true};
  auto in = inputs(c, at::kDouble);
  const at::Tensor clean = function(c, by_library)(in);
  in[3] = in[3].detach().clone();
  in[3].slice(2, 60).fill_(kNaN);
  in[3].set_requires_grad(true);
  EXPECT_TRUE(identical(function(c, by_library)(in), clean));
  for (const at::Tensor& d : gradients_of(function(c, by_library), in)) EXPECT_TRUE(all_finite(d));
}

TEST(LibraryAttention, ASecondDerivativeIsTheTwinsOrRefused) {
  for (const int64_t width : {kValues, kWidth}) {
    const Case c{"", 5, 5, Mask::causal()};
    auto in = inputs(c, at::kDouble);
    in[2] = heads(kHeads, 5, width, 2, at::kDouble);
    const auto second = [&](decltype(scaled_dot_product_attention)* op) {
      const at::Tensor out = function(c, op)(in);
      const auto first = torch::autograd::grad({out.square().sum()}, {in[0]}, {}, std::nullopt,
                                               /*create_graph=*/true);
      return torch::autograd::grad({first[0].square().sum()}, {in[1]})[0];
    };
    at::Tensor found;
    try {
      found = second(by_library);
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr("not implemented"));
      continue;
    }
    EXPECT_TRUE(close(found, second(scaled_dot_product_attention_composed)));
  }
}

TEST(LibraryAttention, SaysWhyItDeclines) {
  const at::Tensor x = cosines({1, 1, 2, 4});
  EXPECT_THAT(detail::library_declined({x, x, x, {}, {}}, 1.0, {}), HasSubstr("cpu"));
}

}  // namespace
}  // namespace attend::ops
