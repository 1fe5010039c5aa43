#include "attend/ops/squared_distances.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cdist.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "attend/ops/batched_product.h"
#include "attend/ops/check.h"

namespace attend::ops {
namespace {

at::Tensor forward_values(const at::Tensor& a, const at::Tensor& b) {
  c10::NoGradGuard no_grad;
  const at::ScalarType dtype = a.scalar_type();
  const at::ScalarType wide = at::toOpMathType(dtype);
  // Mode 2 never takes the shortcut over a matrix product, which cancels.
  return at::cdist(a.to(wide), b.to(wide), 2.0, /*compute_mode=*/2).square_().to(dtype);
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
  const int64_t n = a.dim();
  const bool fits = (n == 3 || n == 4) && b.dim() == n && a.size(0) == b.size(0) &&
                    (n == 3 || a.size(1) == b.size(1)) && a.size(-1) == b.size(-1);
  if (!fits) refuse(kOp, "(B, [H,] M, D) and (B, [H,] N, D)", {a, b});
  if (c10::GradMode::is_enabled() && (a.requires_grad() || b.requires_grad()))
    return SquaredDistances::apply(a, b);
  return forward_values(a, b);
}

}  // namespace attend::ops
