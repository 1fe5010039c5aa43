// The same numbers on CUDA as on the CPU; skipped where there is none.
#include <ATen/Context.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attend/ops/attention.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

namespace attend::ops {
namespace {

using namespace ::attend::testing;  // NOLINT(google-build-using-namespace)

std::vector<at::Tensor> on(at::Device device, const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> moved;
  for (const at::Tensor& x : tensors)
    moved.push_back(x.detach().to(device).clone().set_requires_grad(true));
  return moved;
}

void compare_devices(const TensorFunction& function, const std::vector<at::Tensor>& inputs) {
  const auto there = on(at::kCUDA, inputs);
  EXPECT_TRUE(close(function(there).cpu(), function(inputs)));
  const auto found = gradients_of(function, there), expected = gradients_of(function, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(close(found[i].cpu(), expected[i])) << i;
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

}  // namespace
}  // namespace attend::ops
