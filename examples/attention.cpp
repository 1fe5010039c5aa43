// Additive attention on LibTorch tensors, forward and backward: two sentences of five and three
// keys.
#include "attend/ops/attention.h"

#include <ATen/ops/linspace.h>

#include <iostream>

int main() {
  using namespace attend::ops;
  const auto leaf = [](at::IntArrayRef shape, double first) {
    const int64_t n = c10::multiply_integers(shape);
    return at::linspace(first, first + 9, n).sin().reshape(shape).requires_grad_();
  };
  const at::Tensor q = leaf({2, 4, 8}, 0), k = leaf({2, 5, 8}, 1);  // (B, Tq, A), (B, Tk, A)
  const at::Tensor w = leaf({8}, 2), v = leaf({2, 5, 6}, 3);        // (A), (B, Tk, Dv)
  const auto mask = attend::Mask::padding(std::vector<int64_t>{5, 3});
  const AttentionResult result = additive_attention(q, k, w, v, mask, {.return_weights = true});
  result.output.square().sum().backward();
  std::cout << "weights of the second sentence's first query\n" << result.weights[1][0] << '\n';
  std::cout << "gradient of that sentence's keys\n" << k.grad()[1] << '\n';
}
