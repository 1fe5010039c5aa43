// Pooling by a fixed rule, and pools of a sentence's own states.
#include "attend/attention/pooling.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <cmath>

#include "attend/attention/attention.h"
#include "attend/attention/structured.h"
#include "attend/core/errors.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"
#include "tests/support/gradcheck.h"

namespace attend {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

at::Tensor golden(const std::string& name) {
  static const Goldens goldens("attention/goldens.safetensors");
  return goldens.get(name);
}

TEST(AveragePooling, IsTheMeanOfWhatIsSeen) {
  const at::Tensor v = cosines({2, 4, 3});
  const at::Tensor out = average_pooling(v, 2, Mask::padding({4, 2})).output;
  EXPECT_TRUE(close(out.select(1, 1).select(0, 0), v.select(0, 0).mean(0)));
  EXPECT_TRUE(close(out.select(1, 0).select(0, 1), v.select(0, 1).slice(0, 0, 2).mean(0)));
  EXPECT_TRUE(identical(average_pooling(v, 2, Mask::padding({0, 0})).output,
                        at::zeros({2, 2, 3}, at::kDouble)));
  EXPECT_THROW(average_pooling(v, -1, Mask::none()), InvalidArgument);
}

// Where each query sees the first keys, no weights are made; under the others they are.
TEST(AveragePooling, AgreesWithEqualWeights) {
  const at::Tensor per_query =
      at::tensor(std::vector<int64_t>{1, 7, 2, 0, 3, 3, 6, 5, 1, 2}, at::kLong).view({2, 5});
  for (const Mask& mask :
       {Mask::none(), Mask::causal(), Mask::causal(0), Mask::causal(-2), Mask::padding({7, 0}),
        Mask::causal() & Mask::padding({7, 4}), Mask::window(3), Mask::padding(per_query),
        Mask::dense(cosines({5, 7}).gt(0))})
    for (const auto dtype : {at::kFloat, at::kDouble}) {
      const auto equal = [&](const std::vector<at::Tensor>& in) {
        return ops::attend_with_scores(at::zeros({2, 5, 7}, in[0].options()), in[0], mask);
      };
      const auto average = [&](const std::vector<at::Tensor>& in) {
        return average_pooling(in[0], 5, mask, {.return_weights = true});
      };
      const std::vector<at::Tensor> in = {leaf({2, 7, 3}, 1, dtype)};
      EXPECT_TRUE(close(average(in).output, equal(in).output));
      EXPECT_TRUE(identical(average(in).output, average_pooling(in[0], 5, mask).output));
      EXPECT_TRUE(close(at::matmul(average(in).weights, in[0]), equal(in).output));
      const TensorFunction own = [&](const auto& x) { return average(x).output; };
      const TensorFunction twin = [&](const auto& x) { return equal(x).output; };
      EXPECT_TRUE(close(gradients_of(own, in)[0], gradients_of(twin, in)[0]));
      if (dtype == at::kDouble) {
        EXPECT_TRUE(check_gradients(own, in));
      }
    }
}

TEST(AveragePooling, NaNReachesOnlyWhoSeesIt) {
  at::Tensor v = cosines({1, 4, 2});
  const at::Tensor clean = average_pooling(v, 4, Mask::causal()).output;
  v.select(1, 2).fill_(std::nan(""));
  const at::Tensor out = average_pooling(v, 4, Mask::causal()).output;
  EXPECT_TRUE(close(out.slice(1, 0, 2), clean.slice(1, 0, 2)));
  EXPECT_TRUE(out.slice(1, 2).isnan().all().item<bool>());
}

const std::vector<std::pair<KernelKind, std::string>> kKernels{
    {KernelKind::kGaussian, "gaussian"},
    {KernelKind::kBoxcar, "boxcar"},
    {KernelKind::kEpanechnikov, "epanechnikov"},
    {KernelKind::kTriangular, "triangular"},
    {KernelKind::kCosine, "cosine"}};

at::Tensor scalar(double value, at::ScalarType dtype = at::kDouble) {
  return at::full({}, value, dtype);
}

TensorFunction pooled(const Kernel& kernel, const Mask& mask) {
  return [=](const auto& in) {
    return kernel_pooling(in[0], in[1], in[2], in[3], kernel, mask).output;
  };
}

struct Kernels : ::testing::TestWithParam<size_t> {
  static Kernel kernel() { return kKernels[GetParam()].first; }
  static const std::string& name() { return kKernels[GetParam()].second; }
  static bool reaches_far() { return kKernels[GetParam()].first == KernelKind::kGaussian; }
  // The goldens' inputs: queries, keys, values and width.
  static std::vector<at::Tensor> inputs(int64_t size, at::ScalarType dtype = at::kDouble) {
    at::Tensor q = cosines({2, 4, size}).mul(2.0);
    q[1][3].add_(50.0);
    std::vector<at::Tensor> in{q, cosines({2, 5, size}, 1).mul(2.0), cosines({2, 5, 2}, 2),
                               size == 1 ? scalar(0.6) : cosines({size}, 0.3).mul(0.4)};
    for (at::Tensor& x : in) x = x.to(dtype).contiguous().set_requires_grad(true);
    return in;
  }
};

TEST_P(Kernels, AgreeWithTheFormula) {
  for (const int64_t size : {1, 3})
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const auto in = inputs(size, dtype);
      // In 8 bits a neighbour at the edge of reach may fall to either side of it.
      if (dtype == at::kBFloat16 && !reaches_far() && name() != "epanechnikov") continue;
      const auto found = kernel_pooling(in[0], in[1], in[2], in[3], kernel(), Mask::padding({5, 3}),
                                        {.return_weights = true});
      const std::string prefix = "kernel." + name() + "." + std::to_string(size) + ".";
      EXPECT_TRUE(close(found.weights, golden(prefix + "weights").to(dtype))) << size << dtype;
      EXPECT_TRUE(close(found.output, golden(prefix + "output").to(dtype))) << size << dtype;
    }
}

TEST_P(Kernels, WithHeadsAreThoseOfEachHead) {
  const auto in = inputs(3);
  const auto heads = [](const at::Tensor& x) { return x.unsqueeze(1).expand({2, 3, -1, -1}); };
  const at::Tensor four =
      pooled(kernel(), Mask::padding({5, 3}))({heads(in[0]), heads(in[1]), heads(in[2]), in[3]});
  EXPECT_TRUE(close(four.select(1, 2), pooled(kernel(), Mask::padding({5, 3}))(in)));
}

TEST_P(Kernels, GradientsInDouble) {
  for (const int64_t size : {1, 3})
    for (const Mask& mask : {Mask::none(), Mask::padding({5, 0})})
      EXPECT_TRUE(check_gradients(pooled(kernel(), mask), inputs(size)));
}

TEST_P(Kernels, AQueryWithNothingInReachGivesZeros) {
  const auto in = inputs(1);
  const auto found =
      kernel_pooling(in[0], in[1], in[2], in[3], kernel(), Mask::none(), {.return_weights = true});
  const double mass = reaches_far() ? 1.0 : 0.0;
  EXPECT_NEAR(found.weights[1][3].sum().item<double>(), mass, 1e-12);
  EXPECT_NEAR(found.weights[0][0].sum().item<double>(), 1.0, 1e-12);
  if (!reaches_far()) {
    EXPECT_TRUE(identical(found.output[1][3], at::zeros({2}, at::kDouble)));
    const at::Tensor g = gradients_of(pooled(kernel(), Mask::none()), in)[0];
    EXPECT_TRUE(all_finite(g));
    EXPECT_EQ(g[1][3].item<double>(), 0.0);
  }
}

// At distance 0 the slope is 0, not NaN.
TEST_P(Kernels, GradientsWhereQueryIsKeyAreFinite) {
  const std::vector<at::Tensor> same{leaf({1, 3, 2}), leaf({1, 3, 2}), leaf({1, 3, 1}, 2),
                                     scalar(0.3).set_requires_grad(true)};
  for (const at::Tensor& g : gradients_of(pooled(kernel(), Mask::none()), same))
    EXPECT_TRUE(all_finite(g));
}

TEST_P(Kernels, WhatIsHiddenIsNeverRead) {
  for (const double garbage : {std::nan(""), double{INFINITY}, 1e30}) {
    const auto clean = inputs(3, at::kFloat);
    auto dirty = clean;
    for (const size_t i : {1, 2}) {
      dirty[i] = clean[i].detach().clone();
      dirty[i][1].slice(0, 2).fill_(garbage);
      dirty[i].set_requires_grad(true);
    }
    const TensorFunction f = pooled(kernel(), Mask::padding({5, 2}));
    EXPECT_TRUE(identical(f(dirty), f(clean)));
    const auto found = gradients_of(f, dirty), expected = gradients_of(f, clean);
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(close(found[i], expected[i], {1e-4, 1e-5})) << i << " " << garbage;
  }
}

TEST_P(Kernels, OnCudaAsOnTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const auto in = inputs(3);
  std::vector<at::Tensor> there;
  for (const at::Tensor& x : in) there.push_back(x.detach().to(at::kCUDA).set_requires_grad(true));
  const TensorFunction f = pooled(kernel(), Mask::padding({5, 3}));
  EXPECT_TRUE(close(f(there).cpu(), f(in)));
  const auto found = gradients_of(f, there), expected = gradients_of(f, in);
  for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(close(found[i].cpu(), expected[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::Range<size_t>(0, 5),
                         [](const auto& info) { return kKernels[info.param].second; });

TEST(KernelPooling, GaussianIsTheGaussianScore) {
  ParameterStore store;
  const AttentionWith<GaussianScore> attention(store.scope(), {.query_size = 3});
  store.allocate({.dtype = at::kDouble});
  set_parameter(store, "width", at::full({1}, 0.7, at::kDouble));
  const at::Tensor q = cosines({2, 4, 3}), k = cosines({2, 5, 3}, 1), v = cosines({2, 5, 2}, 2);
  const Mask mask = Mask::padding({5, 2});
  EXPECT_TRUE(close(attention.forward(q, k, v, mask).output,
                    pooled(KernelKind::kGaussian, mask)({q, k, v, scalar(0.7)})));
}

TEST(KernelPooling, AFunctionOfOnesOwn) {
  const at::Tensor q = cosines({1, 3, 2}), k = cosines({1, 4, 2}, 1), v = cosines({1, 4, 1}, 2);
  const Kernel own([](const at::Tensor& squared) { return squared.mul(-0.5).exp(); });
  const std::vector<at::Tensor> in{q, k, v, scalar(1.3)};
  EXPECT_TRUE(
      close(pooled(own, Mask::none())(in), pooled(KernelKind::kGaussian, Mask::none())(in)));
}

TEST(KernelPooling, AFarGaussianTakesTheNearest) {
  const at::Tensor k = at::tensor({0.0, 1.0}, at::kFloat).view({1, 2, 1});
  const at::Tensor out = pooled(KernelKind::kGaussian, Mask::none())(
      {at::full({1, 1, 1}, 500.0, at::kFloat), k, k, scalar(3.0, at::kFloat)});
  EXPECT_EQ(out.item<float>(), 1.0F);
}

TEST(KernelPooling, DropoutAndWeights) {
  const at::Tensor q = cosines({2, 3, 2}), k = cosines({2, 4, 2}, 1), v = cosines({2, 4, 3}, 2);
  ops::AttentionOptions options{.return_weights = true, .dropout = {.probability = 0.5, .seed = 2}};
  const auto with =
      kernel_pooling(q, k, v, scalar(0.5), KernelKind::kEpanechnikov, Mask::none(), options);
  options.return_weights = false;
  const auto without =
      kernel_pooling(q, k, v, scalar(0.5), KernelKind::kEpanechnikov, Mask::none(), options);
  EXPECT_TRUE(identical(with.output, without.output));
  EXPECT_TRUE(close(with.weights.sum(-1), at::ones({2, 3}, at::kDouble)));
}

TEST(KernelPooling, WrongArgumentsAreNamed) {
  const auto call = [](const std::vector<int64_t>& width, const ops::AttentionOptions& options) {
    return message_of([&] {
      kernel_pooling(cosines({2, 3, 1}), cosines({2, 4, 1}), cosines({2, 4, 1}), cosines(width),
                     KernelKind::kBoxcar, Mask::none(), options);
    });
  };
  EXPECT_THAT(call({2}, {}),
              HasSubstr("width () or (D), found (2, 3, 1), (2, 4, 1), (2, 4, 1) and (2)"));
  EXPECT_THAT(call({}, {.normaliser = Normaliser::kSparsemax}), HasSubstr("neither a bias"));
  EXPECT_THAT(call({}, {.bias = cosines({3, 4})}), HasSubstr("neither a bias"));
}

struct Structured {
  explicit Structured(at::ScalarType dtype = at::kDouble)
      : attention(store.scope(), {.size = 6, .hidden = 4, .hops = 3}) {
    store.allocate({.dtype = dtype});
    set_parameter(store, "features.weight", cosines({4, 6}, 1));
    set_parameter(store, "hops.weight", cosines({3, 4}, 2));
  }
  ParameterStore store;
  StructuredAttention attention;
};

TEST(StructuredSelfAttention, AgreesWithTheFormula) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const Structured layer(dtype);
    const auto found = layer.attention.forward(cosines({2, 5, 6}, 0, dtype), Mask::padding({5, 2}),
                                               {.return_weights = true});
    EXPECT_TRUE(close(found.weights, golden("structured.weights").to(dtype)));
    EXPECT_TRUE(close(found.output, golden("structured.output").to(dtype)));
    EXPECT_TRUE(close(redundancy_penalty(found.weights), golden("structured.penalty").to(dtype)));
  }
}

TEST(StructuredSelfAttention, GradientsInDouble) {
  const Structured layer;
  std::vector<at::Tensor> in{leaf({2, 5, 6})};
  for (const at::Tensor& p : layer.store.tensors()) in.push_back(p);
  for (const auto& lengths : std::vector<std::vector<int64_t>>{{5, 2}, {3, 0}})
    for (const bool penalty : {false, true})
      EXPECT_TRUE(check_gradients(
          [&](const auto& x) {
            const auto found =
                layer.attention.forward(x[0], Mask::padding(lengths), {.return_weights = true});
            return penalty ? redundancy_penalty(found.weights) : found.output;
          },
          in));
}

TEST(StructuredSelfAttention, PaddingReachesNothing) {
  const Structured layer;
  at::Tensor dirty = cosines({2, 5, 6});
  dirty[1].fill_(std::nan(""));
  dirty[0].slice(0, 3).fill_(INFINITY);
  std::vector<at::Tensor> in{dirty.set_requires_grad(true)};
  for (const at::Tensor& p : layer.store.tensors()) in.push_back(p);
  const TensorFunction f = [&](const auto& x) {
    return layer.attention.forward(x[0], Mask::padding({3, 0})).output;
  };
  EXPECT_TRUE(
      close(f(in)[0],
            layer.attention.forward(cosines({2, 5, 6}).slice(1, 0, 3), Mask::none()).output[0]));
  EXPECT_TRUE(identical(f(in)[1], at::zeros({3, 6}, at::kDouble)));
  for (const at::Tensor& g : gradients_of(f, in)) EXPECT_TRUE(all_finite(g));
}

TEST(StructuredSelfAttention, ThePenaltyIsZeroForHopsApart) {
  EXPECT_EQ(redundancy_penalty(at::eye(4, at::kDouble).unsqueeze(0)).item<double>(), 0.0);
  // Two hops on one token: the two entries off the diagonal count.
  const at::Tensor same = at::tensor({1.0, 0.0, 1.0, 0.0}, at::kDouble).view({1, 2, 2});
  EXPECT_EQ(redundancy_penalty(same).item<double>(), 2.0);
}

TEST(StructuredSelfAttention, WrongShapesAreNamed) {
  const Structured layer;
  EXPECT_THAT(message_of([&] { layer.attention.forward(cosines({2, 5, 7}), Mask::none()); }),
              HasSubstr("[structured_attention] expected states (B, T, 6), found (2, 5, 7)"));
  EXPECT_THROW(redundancy_penalty(cosines({2, 5})), InvalidArgument);
  ParameterStore store;
  EXPECT_THAT(
      message_of([&] { StructuredAttention(store.scope(), {.size = 6, .hidden = 4, .hops = 0}); }),
      HasSubstr("0 hops"));
}

}  // namespace
}  // namespace attend
