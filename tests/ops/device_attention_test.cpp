// The same numbers on CUDA as on the CPU; skipped where there is none.
#include <ATen/Context.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>

#include <cmath>

#include "attend/ops/attention.h"
#include "attend/ops/library_attention.h"
#include "tests/ops/attention_cases.h"

namespace attend::ops {
namespace {

std::vector<at::Tensor> on(at::Device device, const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> moved;
  for (const at::Tensor& x : tensors)
    moved.push_back(x.detach().to(device).clone().set_requires_grad(true));
  return moved;
}

void compare_devices(const TensorFunction& function, const std::vector<at::Tensor>& inputs,
                     Tolerance tolerance = tolerance_of(at::kDouble)) {
  const auto there = on(at::kCUDA, inputs);
  const at::Tensor found = function(there).cpu(), expected = function(inputs);
  EXPECT_TRUE(found.isnan().equal(expected.isnan())) << "NaN elsewhere";
  EXPECT_TRUE(close(found.nan_to_num(0.0), expected.nan_to_num(0.0), tolerance));
  const auto own = gradients_of(function, there), others = gradients_of(function, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    EXPECT_TRUE(close(own[i].cpu(), others[i], tolerance)) << i;
}

TEST(OnCuda, AttentionUnderEveryMaskIsThatOfTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  at::Tensor garbage = cosines({2, 2, 4, 5}, 1);
  garbage.select(0, 1).slice(1, 2).fill_(std::nan(""));
  const std::vector<at::Tensor> in{leaf({2, 2, 3, 5}), garbage.set_requires_grad(true),
                                   leaf({2, 2, 4, 3}, 2)};
  for (const Mask& mask :
       {Mask::padding({4, 0}), Mask::padding({4, 2}) & Mask::causal(),
        Mask::keys(at::ones({2, 4}, at::kBool)) & Mask::padding({4, 1}) & Mask::window(2)})
    compare_devices(
        [&](const auto& x) {
          return scaled_dot_product_attention(x[0], x[1], x[2], mask,
                                              {.dropout = {.probability = 0.3, .seed = 1}})
              .output;
        },
        in);
  compare_devices(
      [](const auto& x) {
        return additive_attention(x[0], x[1], x[2], x[3], Mask::padding({4, 0})).output;
      },
      {leaf({2, 3, 5}), leaf({2, 4, 5}, 1), leaf({5}, 2), leaf({2, 4, 6}, 3)});
}

// By LibTorch's kernels but where dropout or weights are asked for, in float by its fused ones.
TEST(OnCuda, EveryCaseOfScaledDotProductIsThatOfTheCpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  for (const Case& c : cases())
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      if (c.name == "prepared") continue;  // for a device
      SCOPED_TRACE(c.name + (dtype == at::kFloat ? ", float" : ", double"));
      auto in = inputs(c, dtype);
      const Tolerance tolerance =
          dtype == at::kDouble ? Tolerance{1e-10, 1e-11} : Tolerance{1e-4, 2e-5};
      compare_devices(function(c, scaled_dot_product_attention), in, tolerance);
      in[2] = heads(c.key_heads, c.keys, kWidth, 2, dtype);  // as wide as the keys
      compare_devices(function(c, scaled_dot_product_attention), in, tolerance);
      for (const size_t poisoned : {0, 1, 2}) {
        if (!c.mask.materialise(kBatch, kHeads, c.queries, c.keys, at::kCPU).defined())
          continue;  // to all, and to all gradients
        auto bad = inputs(c, dtype);
        bad[poisoned] = bad[poisoned].detach().clone();
        bad[poisoned].select(2, 0).fill_(std::nan(""));
        bad[poisoned].set_requires_grad(true);
        compare_devices(function(c, scaled_dot_product_attention), bad, tolerance);
      }
    }
}

TEST(OnCuda, LibTorchsAttentionSaysWhyItDeclines) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const at::Tensor x = cosines({1, 1, 2, 4}).to(at::kCUDA), none = x.slice(2, 0, 0);
  const detail::HeadTensors heads{x, x, x, {}, {}};
  const auto declined = [&](const AttentionOptions& options) {
    return detail::library_declined(heads, options.scale.value_or(1.0), options);
  };
  EXPECT_EQ(declined({}), "");
  EXPECT_THAT(declined({.return_weights = true}), ::testing::HasSubstr("weights"));
  EXPECT_THAT(declined({.dropout = {.probability = 0.1}}), ::testing::HasSubstr("dropout"));
  EXPECT_THAT(declined({.scale = 0.0}), ::testing::HasSubstr("above 0"));
  EXPECT_THAT(declined({.normaliser = Normaliser::kSparsemax}), ::testing::HasSubstr("softmax"));
  EXPECT_THAT(detail::library_declined({x, none, none, {}, {}}, 1.0, {}),
              ::testing::HasSubstr("nothing"));
  EXPECT_THAT(detail::library_declined({x, x, x, x.to(at::kFloat), {}}, 1.0, {}),
              ::testing::HasSubstr("dtype"));
}

}  // namespace
}  // namespace attend::ops
