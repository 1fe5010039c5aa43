#include "attend/ops/bfloat16_product.h"

#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

#include "attend/ops/fused.h"
#include "attend/ops/products.h"

namespace attend::ops::detail {
namespace {

class Bfloat16Linear : public torch::autograd::Function<Bfloat16Linear> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight) {
    const at::Tensor low_x = x.to(at::kBFloat16), low_weight = weight.to(at::kBFloat16);
    context->save_for_backward({low_x, low_weight});
    return at::linear(low_x, low_weight).to(at::kFloat);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    refuse_second_derivative("bfloat16_linear");
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const at::Tensor g = gradients[0].to(at::kBFloat16);
    const at::Tensor rows = g.reshape({-1, weight.size(0)});  // (n, outputs)
    at::Tensor d_x, d_weight;
    if (context->needs_input_grad(0)) d_x = g.matmul(weight).to(at::kFloat);
    if (context->needs_input_grad(1))
      d_weight = rows.t().mm(x.reshape({-1, weight.size(1)})).to(at::kFloat);  // (outputs, inputs)
    return {d_x, d_weight};
  }
};

}  // namespace

bool in_bfloat16(const at::Tensor& x) {
  return products() == Products::kBfloat16 && x.scalar_type() == at::kFloat;
}

at::Tensor bfloat16_linear(const at::Tensor& x, const at::Tensor& weight) {
  return Bfloat16Linear::apply(x, weight);
}

}  // namespace attend::ops::detail
