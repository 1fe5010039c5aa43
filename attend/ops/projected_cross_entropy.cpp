#include "attend/ops/projected_cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <string>

#include "attend/core/errors.h"
#include "attend/fused/cross_entropy.h"
#include "attend/ops/bfloat16_product.h"
#include "attend/ops/check.h"
#include "attend/ops/cross_entropy.h"
#include "attend/ops/fused.h"
#include "attend/ops/fused_call.h"

namespace attend::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Rows a block: the block of logits stays near 1 MB, so it lives in a core's L2 cache.
int64_t block_rows(int64_t vocabulary) {
  return std::clamp<int64_t>((int64_t{1} << 18) / std::max<int64_t>(vocabulary, 1), 16, 1024);
}

void check(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
           const at::Tensor& targets) {
  check_floating("projected_cross_entropy", {hidden, weight, bias.defined() ? bias : weight});
  const bool shapes = hidden.dim() == 2 && weight.dim() == 2 && weight.size(1) == hidden.size(1) &&
                      targets.defined() && targets.dim() == 1 &&
                      targets.size(0) == hidden.size(0) &&
                      (!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)));
  if (!shapes)
    refuse("projected_cross_entropy", "hidden (N, D), weight (V, D), bias (V) and targets (N)",
           {hidden, weight, bias, targets});
  detail::check_targets("projected_cross_entropy", targets, weight.size(0), hidden.device());
}

// In the dtype that they are to have; operands of another one make the product in theirs.
at::Tensor block_logits(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias,
                        at::ScalarType dtype) {
  if (weight.scalar_type() != dtype) {
    const at::Tensor logits = rows.mm(weight.t()).to(dtype);  // (n, V)
    return bias.defined() ? logits + bias : logits;
  }
  return bias.defined() ? at::addmm(bias, rows, weight.t()) : rows.mm(weight.t());  // (n, V)
}

struct Gradients {
  at::Tensor hidden, weight, bias;
};

// By the pass of attend/fused, for arguments that kernels take. Fills d if `learn`.
at::Tensor run_fused(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& targets, bool learn, Gradients& d) {
  const at::Tensor rows = hidden.contiguous(), chosen = targets.to(at::kInt).contiguous();
  const double loss = detail::with_type(rows, [&]<class T>(T) {
    detail::FusedCall<T> call;
    const fused::WeightPlace place = call.weight(weight);
    const int64_t offset = bias.defined() ? call.vector(bias) : fused::Linear<T>::kNone;
    const fused::Linear<T> output(place, offset, call.panels);
    call.begin({});
    at::Tensor d_weights;
    if (learn) {
      d.hidden = detail::fresh(rows.sizes(), rows.options());
      d_weights = call.empty_gradient();
      const variable_list parts = call.parts(d_weights);
      d.weight = parts[0];
      if (bias.defined()) d.bias = parts[1];
    }
    fused::Workspace work;
    const fused::Rows<T> nowhere(nullptr, 0, 0);
    return fused::projected_cross_entropy(
        learn ? call.pass(d_weights, work) : call.pass(), output, detail::rows_of<T>(rows),
        chosen.const_data_ptr<int32_t>(), learn ? detail::rows_to<T>(d.hidden) : nowhere);
  });
  return at::full({}, loss, hidden.options());
}

// Block by block on LibTorch's operations, for all dtypes and devices. Fills d if `learn`.
at::Tensor run_blocked(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& targets, bool learn, Gradients& d) {
  const auto zeros = [](const at::Tensor& x) {
    return detail::fresh(x.sizes(), x.options()).zero_();
  };
  if (learn)
    d = {detail::fresh(hidden.sizes(), hidden.options()), zeros(weight),
         bias.defined() ? zeros(bias) : at::Tensor()};
  // Operands of products: rounded, when those run in bfloat16.
  const at::ScalarType type = detail::in_bfloat16(hidden) ? at::kBFloat16 : hidden.scalar_type();
  const at::Tensor w = weight.to(type);
  at::Tensor sum = at::zeros({}, hidden.options());
  const int64_t rows = hidden.size(0);
  const int64_t step = block_rows(weight.size(0));
  for (int64_t first = 0; first < rows; first += step) {
    const int64_t n = std::min(step, rows - first);
    const at::Tensor h = hidden.narrow(0, first, n).to(type);
    const at::Tensor t = targets.narrow(0, first, n).unsqueeze(1);  // (n, 1)
    at::Tensor p = block_logits(h, w, bias, hidden.scalar_type());
    const at::Tensor log_sum = p.logsumexp({1}, true);  // (n, 1)
    sum += (log_sum - p.gather(1, t)).sum();
    if (!learn) continue;
    p.sub_(log_sum).exp_();
    p.scatter_add_(1, t, at::zeros({n, 1}, p.options()).sub_(1));  // d loss / d logits
    const at::Tensor low = p.to(type);
    d.hidden.narrow(0, first, n).copy_(low.mm(w));
    if (type == weight.scalar_type())
      at::Tensor(d.weight).addmm_(low.t(), h);
    else
      at::Tensor(d.weight).add_(low.t().mm(h));
    if (bias.defined()) at::Tensor(d.bias).add_(p.sum(0));
  }
  return sum;
}

class BlockedCrossEntropy : public torch::autograd::Function<BlockedCrossEntropy> {
 public:
  // An undefined bias comes as an empty optional: autograd takes no undefined input.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden,
                            const at::Tensor& weight, const std::optional<at::Tensor>& given_bias,
                            const at::Tensor& targets, bool learn) {
    const at::Tensor bias = given_bias.value_or(at::Tensor());
    const bool fused = hidden.size(0) > 0 && !detail::in_bfloat16(hidden) &&
                       detail::declined_by_kernels({hidden, weight, bias}).empty();
    Gradients d;
    const at::Tensor loss =
        (fused ? run_fused : run_blocked)(hidden, weight, bias, targets, learn, d);
    if (learn) context->save_for_backward({d.hidden, d.weight, d.bias});
    return loss;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    detail::refuse_second_derivative("projected_cross_entropy");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& g = gradients[0];
    const auto scaled = [&g](const at::Tensor& x) { return x.defined() ? x * g : at::Tensor(); };
    return {scaled(saved[0]), scaled(saved[1]), scaled(saved[2]), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight,
                                   const at::Tensor& bias, const at::Tensor& targets) {
  check(hidden, weight, bias, targets);
  const bool learn =
      c10::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad() ||
                                      (bias.defined() && bias.requires_grad()));
  return BlockedCrossEntropy::apply(
      hidden, weight, bias.defined() ? std::optional(bias) : std::nullopt, targets, learn);
}

at::Tensor projected_cross_entropy_composed(const at::Tensor& hidden, const at::Tensor& weight,
                                            const at::Tensor& bias, const at::Tensor& targets) {
  check(hidden, weight, bias, targets);
  const at::Tensor logits =
      bias.defined() ? at::linear(hidden, weight, bias) : at::linear(hidden, weight);  // (N, V)
  return cross_entropy_composed(logits, targets);
}

}  // namespace attend::ops
