#include "attend/ops/squared_distances.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cdist.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"

namespace attend::ops {
namespace {

// From this width on, a matrix product is faster than differences: 34 times at 64.
constexpr int64_t kProductWidth = 16;
// The product serves where the largest |x|^2 times u, the unit roundoff, is at most this: rounding
// then changes a distance by about as much, and by D + 3 times four times as much at the very
// worst.
constexpr double kAllowedError = 1e-5;

// |a|^2 + |b|^2 - 2 a b about the keys' mean; undefined where that would lose digits that matter,
// as it does for points far from the others.
at::Tensor by_product(const at::Tensor& a, const at::Tensor& b) {
  if (!a.is_cpu() || a.size(-1) < kProductWidth || a.numel() == 0 || b.numel() == 0) return {};
  const at::Tensor centre = b.reshape({-1, b.size(-1)}).mean(0);  // (D)
  const at::Tensor x = a - centre, y = b - centre;
  const at::Tensor xx = x.square().sum(-1, /*keepdim=*/true);  // (..., M, 1)
  const at::Tensor yy = y.square().sum(-1).unsqueeze(-2);      // (..., 1, N)
  const double epsilon = a.scalar_type() == at::kDouble ? 0x1p-53 : 0x1p-24;
  const double largest = std::max(xx.max().item<double>(), yy.max().item<double>());
  if (!(largest * epsilon <= kAllowedError)) return {};
  return batched_product(x, y.transpose(-2, -1)).mul_(-2.0).add_(xx).add_(yy).clamp_min_(0.0);
}

at::Tensor forward_values(const at::Tensor& a, const at::Tensor& b) {
  c10::NoGradGuard no_grad;
  const at::ScalarType wide = at::toOpMathType(a.scalar_type());
  const at::Tensor x = a.detach().to(wide), y = b.detach().to(wide);
  at::Tensor squared = by_product(x, y);
  // Mode 2 takes the differences and never the product.
  if (!squared.defined()) squared = at::cdist(x, y, 2.0, /*compute_mode=*/2).square_();
  return squared.to(a.scalar_type());  // (..., M, N)
}

struct SquaredDistances : torch::autograd::Function<SquaredDistances> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& a,
                            const at::Tensor& b) {
    context->save_for_backward({a, b});
    return forward_values(a, b);
  }

  // Two products, linear in a and b: an entry without a gradient (a hidden one) reads nothing that
  // is finite, however large.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &a = saved[0], &b = saved[1], twice = gradients[0] * 2.0;  // (..., M, N)
    const at::Tensor back = twice.transpose(-2, -1);                            // (..., N, M)
    return {a * twice.sum(-1, /*keepdim=*/true) - batched_product(twice, b),
            b * back.sum(-1, /*keepdim=*/true) - batched_product(back, a)};
  }
};

}  // namespace

at::Tensor squared_distances(const at::Tensor& a, const at::Tensor& b) {
  constexpr auto kOp = "squared_distances";
  check_floating(kOp, {a, b});
  if (!leading_sizes_agree(a, b) || a.size(-1) != b.size(-1))
    refuse(kOp, "(B, [H,] M, D) and (B, [H,] N, D)", {a, b});
  if (c10::GradMode::is_enabled() && (a.requires_grad() || b.requires_grad()))
    return SquaredDistances::apply(a, b);
  return forward_values(a, b);
}

}  // namespace attend::ops
