// The position schemes by themselves, and linear attention in its two forms.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "attend/attention/alibi.h"
#include "attend/attention/distance.h"
#include "attend/attention/linear_attention.h"
#include "attend/attention/relative.h"
#include "attend/attention/rotary.h"
#include "attend/attention/t5_bias.h"
#include "attend/core/errors.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

const Goldens& goldens() {
  static const Goldens golden("attention/heads.safetensors");
  return golden;
}

constexpr RotaryLayout kLayouts[] = {RotaryLayout::kInterleaved, RotaryLayout::kHalves};

TEST(KeyDistances, TheQueriesAreTheLastOfTheKeys) {
  EXPECT_TRUE(key_distances(2, 4, at::kCPU)
                  .equal(at::tensor({-2, -1, 0, 1, -3, -2, -1, 0}, at::kLong).view({2, 4})));
  EXPECT_EQ(key_distances(0, 3, at::kCPU).sizes(), at::IntArrayRef({0, 3}));
  EXPECT_THROW(key_distances(-1, 3, at::kCPU), InvalidArgument);
}

TEST(Rotary, AgreesWithTheFormulaOfComplexNumbers) {
  const at::Tensor x = goldens().get("turned.x");  // seven features: the last stays
  for (const auto layout : kLayouts) {
    const std::string name = layout == RotaryLayout::kHalves ? "halves" : "interleaved";
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16})
      EXPECT_TRUE(close(rotary(x.to(dtype), 5, {.layout = layout}),
                        goldens().get("turned." + name).to(dtype)));
  }
}

TEST(Rotary, ProductsHangOnTheDistanceAlone) {
  const at::Tensor q = cosines({1, 6}), k = cosines({1, 6}, 3);
  for (const auto layout : kLayouts) {
    const auto product = [&](int64_t i, int64_t j) {
      return rotary(q, i, {.layout = layout}).mul(rotary(k, j, {.layout = layout})).sum();
    };
    EXPECT_TRUE(close(product(2, 5), product(40, 43)));
    EXPECT_TRUE(close(product(7, 7), q.mul(k).sum()));
    EXPECT_FALSE(close(product(2, 5), product(2, 6)));
    EXPECT_TRUE(close(rotary(q, 9, {.layout = layout}).norm(), q.norm()));
  }
}

TEST(Rotary, HasGradientsAndEdges) {
  for (const auto layout : kLayouts)
    EXPECT_TRUE(check_gradients(
        [&](const std::vector<at::Tensor>& in) { return rotary(in[0], 3, {.layout = layout}); },
        {leaf({2, 3, 5})}));
  EXPECT_TRUE(identical(rotary(cosines({3, 1}), 4), cosines({3, 1})));  // no pair
  EXPECT_EQ(rotary(cosines({2, 0, 4})).sizes(), at::IntArrayRef({2, 0, 4}));
  EXPECT_TRUE(all_finite(rotary(cosines({1, 8}), 1000000)));
  EXPECT_THAT(message_of([] { rotary(cosines({4})); }), HasSubstr("(..., T, D), found (4)"));
  EXPECT_THAT(message_of([] { rotary(cosines({1, 4}), 0, {.base = 0.0}); }), HasSubstr("base"));
}

TEST(Alibi, SlopesAreThePapersAlsoBetweenPowersOfTwo) {
  for (const int64_t heads : {1, 2, 3, 6, 8, 12, 16})
    EXPECT_TRUE(close(at::tensor(alibi_slopes(heads), at::kDouble),
                      goldens().get("alibi.slopes" + std::to_string(heads))))
        << heads;
  EXPECT_THROW(alibi_slopes(0), InvalidArgument);
}

TEST(Alibi, FallsWithTheDistance) {
  const at::Tensor bias = alibi_bias(8, 2, 3, at::kDouble);  // slopes 1/2, 1/4, ...
  EXPECT_TRUE(
      identical(bias[0], at::tensor({-0.5, 0.0, -0.5, -1.0, -0.5, 0.0}, at::kDouble).view({2, 3})));
  EXPECT_TRUE(identical(bias[1], bias[0].mul(0.5)));
}

TEST(T5, BucketsAreThoseOfItsCode) {
  const auto check = [](const char* name, const T5Buckets& buckets) {
    const at::Tensor expected = goldens().get(std::string("t5.") + name);
    for (int64_t distance = -200; distance <= 200; ++distance)
      EXPECT_EQ(t5_bucket(distance, buckets), expected[distance + 200].item<int64_t>())
          << name << " " << distance;
  };
  check("both", {});
  check("causal", {.bidirectional = false});
  check("small", {.buckets = 8, .max_distance = 20});
}

TEST(T5, HasGradientsAndRefusesTooFewBuckets) {
  ParameterStore store;
  const T5Bias bias(store.scope("t5"), 2, {.buckets = 8, .max_distance = 5});
  store.allocate({.dtype = at::kDouble});
  EXPECT_EQ(bias(3, 5).sizes(), at::IntArrayRef({2, 3, 5}));
  EXPECT_TRUE(
      check_gradients([&](const std::vector<at::Tensor>&) { return bias(3, 5); }, store.tensors()));
  const auto build = [](const T5Buckets& buckets) {
    return message_of([&] {
      ParameterStore other;
      T5Bias(other.scope(), 2, buckets);
    });
  };
  EXPECT_THAT(build({.buckets = 2}), HasSubstr("at least 2 buckets a direction"));
  EXPECT_THAT(build({.buckets = 32, .max_distance = 8}), HasSubstr("found 16 and 8"));
}

struct Shaw {
  explicit Shaw(int64_t most, bool values = true)
      : positions(store.scope(), {.width = 3, .max_distance = most, .values = values}) {
    store.allocate({.seed = 2, .dtype = at::kDouble});
  }
  ParameterStore store;
  RelativePositions positions;
};

TEST(Relative, EqualsTheSumOverPairs) {
  const Shaw shaw(2);
  const at::Tensor q = cosines({1, 2, 4, 3}), weights = cosines({1, 2, 4, 6}, 1);
  const at::Tensor keys = shaw.store.slots()[0]->value, values = shaw.store.slots()[1]->value;
  const at::Tensor scores = shaw.positions.scores(q, 6), pooled = shaw.positions.pooled(weights);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < 4; ++i) {
      at::Tensor sum = at::zeros({3}, at::kDouble);
      for (int64_t j = 0; j < 6; ++j) {
        // The last query stands at the last key; distances of 3 and more are clipped.
        const int64_t row = std::min<int64_t>(std::max<int64_t>(j - (i + 2), -2), 2) + 2;
        EXPECT_TRUE(close(scores[0][h][i][j], q[0][h][i].dot(keys[row])));
        sum = sum + weights[0][h][i][j] * values[row];
      }
      EXPECT_TRUE(close(pooled[0][h][i], sum));
    }
}

TEST(Relative, HasGradientsAndEdges) {
  const Shaw shaw(1);
  std::vector<at::Tensor> in{leaf({1, 2, 3, 3}), leaf({1, 2, 3, 4}, 1)};
  for (const at::Tensor& p : shaw.store.tensors()) in.push_back(p);
  EXPECT_TRUE(check_gradients(
      [&](const std::vector<at::Tensor>& x) {
        return at::cat({shaw.positions.scores(x[0], 4), shaw.positions.pooled(x[1])}, -1);
      },
      in));
  const Shaw zero(0, false);  // one vector for all distances
  EXPECT_EQ(zero.store.slots().size(), 1u);
  EXPECT_FALSE(zero.positions.pooled(cosines({1, 1, 2, 2})).defined());
  const at::Tensor same = zero.positions.scores(cosines({1, 1, 2, 3}), 5);
  EXPECT_TRUE(identical(same.select(-1, 0), same.select(-1, 4)));
  EXPECT_THAT(message_of([] { Shaw(-1); }), HasSubstr("found -1"));
  EXPECT_THAT(message_of([&] { shaw.positions.scores(cosines({1, 2, 3, 4}), 4); }),
              HasSubstr("queries (B, H, Tq, 3), found (1, 2, 3, 4)"));
}

// phi(q) phi(k)^T, masked and divided by the sums of its rows: the quadratic definition.
at::Tensor by_pairs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    const Mask& mask) {
  const at::Tensor seen = mask.materialise(q.size(0), q.size(1), q.size(2), k.size(2), at::kCPU);
  at::Tensor pairs = linear_features(q).matmul(linear_features(k).transpose(-2, -1));
  if (seen.defined()) pairs = pairs * seen;
  return pairs.matmul(v) / pairs.sum(-1, true).clamp_min(1e-300);
}

TEST(LinearAttention, EqualsItsQuadraticDefinition) {
  // 150 tokens are more than two chunks.
  for (const int64_t keys : {1, 5, 64, 65, 150})
    for (const bool causal : {false, true})
      for (const bool padded : {false, true}) {
        const at::Tensor q = cosines({2, 2, std::min<int64_t>(keys, 70), 4});
        const at::Tensor k = cosines({2, 2, keys, 4}, 1), v = cosines({2, 2, keys, 3}, 2);
        const Mask mask = (causal ? Mask::causal() : Mask::none()) &
                          (padded ? Mask::padding({keys, keys / 2}) : Mask::none());
        const auto found = linear_attention(q, k, v, mask, true);
        EXPECT_TRUE(close(found.output, by_pairs(q, k, v, mask), {1e-9, 1e-12})) << keys;
        EXPECT_TRUE(close(found.weights.matmul(v), found.output, {1e-9, 1e-12}));
        EXPECT_TRUE(identical(linear_attention(q, k, v, mask).output, found.output));
      }
}

TEST(LinearAttention, ItsRecurrentFormGivesTheSame) {
  const at::Tensor q = cosines({2, 2, 9, 4}), k = cosines({2, 2, 9, 4}, 1),
                   v = cosines({2, 2, 9, 3}, 2);
  const auto whole = linear_attention(q, k, v, Mask::causal(), true);
  for (const int64_t piece : {1, 2, 5}) {
    LinearState state;
    for (int64_t t = 0; t < 9; t += piece) {
      const int64_t n = std::min<int64_t>(piece, 9 - t);
      const auto step = linear_attention_step(q.narrow(2, t, n), k.narrow(2, t, n),
                                              v.narrow(2, t, n), state, true);
      EXPECT_TRUE(close(step.output, whole.output.narrow(2, t, n)));
      EXPECT_TRUE(close(step.weights, whole.weights.narrow(2, t, n).narrow(3, 0, t + n)));
    }
    EXPECT_EQ(state.sums.sizes(), at::IntArrayRef({2, 2, 4, 3}));
    EXPECT_EQ(state.length, 9);
  }
}

TEST(LinearAttention, WeightsHaveToBeAskedForFromTheStart) {
  LinearState state;
  const at::Tensor x = cosines({1, 1, 1, 2});
  linear_attention_step(x, x, x, state);
  EXPECT_FALSE(state.features.defined());
  EXPECT_THAT(message_of([&] { linear_attention_step(x, x, x, state, true); }),
              HasSubstr("from the first token on, found 1 tokens without"));
}

TEST(LinearAttention, GradientsInDouble) {
  const std::vector<at::Tensor> in{leaf({2, 1, 3, 2}), leaf({2, 1, 4, 2}, 1),
                                   leaf({2, 1, 4, 2}, 2)};
  for (const Mask& mask : {Mask::none(), Mask::causal(), Mask::padding({0, 3}),
                           Mask::causal() & Mask::padding({2, 4})})
    EXPECT_TRUE(check_gradients(
        [&](const std::vector<at::Tensor>& x) {
          const auto seen = linear_attention(x[0], x[1], x[2], mask, true);
          return at::cat({seen.output, seen.weights}, -1);
        },
        in));
}

TEST(LinearAttention, DeadRowsAreZeroAndHiddenNaNReachesNothing) {
  at::Tensor k = cosines({2, 1, 3, 2}, 1), v = cosines({2, 1, 3, 2}, 2);
  const at::Tensor q = cosines({2, 1, 3, 2});
  const Mask mask = Mask::padding({2, 0});
  const at::Tensor clean = linear_attention(q, k, v, mask).output;
  EXPECT_TRUE(identical(clean[1], at::zeros({1, 3, 2}, at::kDouble)));
  k[0][0][2].fill_(std::numeric_limits<double>::quiet_NaN());
  v[1].fill_(std::numeric_limits<double>::infinity());
  const auto found = linear_attention(q, k, v, mask, true);
  EXPECT_TRUE(identical(found.output, clean));
  EXPECT_TRUE(all_finite(found.weights));
  const at::Tensor seen = linear_attention(q, k, v, Mask::causal()).output;
  EXPECT_TRUE(all_finite(seen[0][0].narrow(0, 0, 2)));  // before the bad key
  EXPECT_TRUE(seen[0][0][2].isnan().all().item<bool>());
}

TEST(LinearAttention, ShortDtypesAreSummedInFloatAndFarKeysKeepAWeight) {
  const at::Tensor x = cosines({1, 2, 300, 4}, 0, at::kBFloat16);
  const at::Tensor wide = x.to(at::kFloat);
  EXPECT_TRUE(close(linear_attention(x, x, x, Mask::causal()).output,
                    linear_attention(wide, wide, wide, Mask::causal()).output.to(at::kBFloat16)));
  const at::Tensor low = at::full({1, 1, 1, 2}, -30.0, at::kFloat);
  EXPECT_GT(linear_features(low).min().item<float>(), 0.0f);
  EXPECT_TRUE(close(linear_attention(low, low, low, Mask::none()).output, low));
}

TEST(LinearAttention, RefusesMasksWithoutALinearForm) {
  const at::Tensor x = cosines({1, 1, 3, 2});
  for (const Mask& mask :
       {Mask::window(2), Mask::causal(1), Mask::dense(at::full({3, 3}, true, at::kBool)),
        Mask::padding(at::tensor({1, 2, 3}, at::kLong).view({1, 3}))})
    EXPECT_THAT(message_of([&] { linear_attention(x, x, x, mask); }), HasSubstr("no linear form"));
  EXPECT_THAT(message_of([&] { linear_attention(x, x.narrow(2, 0, 2), x, Mask::none()); }),
              HasSubstr("(1, 1, 3, 2), (1, 1, 2, 2) and (1, 1, 3, 2)"));
}

}  // namespace
}  // namespace attend
