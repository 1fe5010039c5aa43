// Fused attention on LibTorch tensors, forward and backward: two sentences of five and three keys.
#include "attend/ops/attention.h"

#include <ATen/ops/linspace.h>

#include <iostream>

int main() {
  const auto leaf = [](at::IntArrayRef shape, double first) {
    const int64_t n = c10::multiply_integers(shape);
    return at::linspace(first, first + 9, n).sin().reshape(shape).requires_grad_();
  };
  const at::Tensor q = leaf({2, 4, 6, 8}, 0);                             // (B, H, Tq, Dh)
  const at::Tensor k = leaf({2, 4, 5, 8}, 1), v = leaf({2, 4, 5, 8}, 2);  // (B, H, Tk, Dh)
  const auto mask = attend::Mask::padding(std::vector<int64_t>{5, 3});
  const at::Tensor pooled = attend::ops::scaled_dot_product_attention(q, k, v, mask).output;
  pooled.square().sum().backward();
  std::cout << "output of the second sentence, first head\n" << pooled[1][0] << '\n';
  std::cout << "gradient of its keys, zero from the fourth on\n" << k.grad()[1][0] << '\n';
}
