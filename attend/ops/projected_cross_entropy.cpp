#include "attend/ops/projected_cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>
#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

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
                      targets.dim() == 1 && targets.size(0) == hidden.size(0) &&
                      (!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)));
  if (!shapes)
    refuse("projected_cross_entropy", "hidden (N, D), weight (V, D), bias (V) and targets (N)",
           {hidden, weight, bias, targets});
  if (targets.scalar_type() != at::kLong)
    throw InvalidArgument("[projected_cross_entropy] expected targets of type int64");
  if (targets.numel() > 0 && targets.device().is_cpu()) {
    const int64_t* t = targets.const_data_ptr<int64_t>();
    const auto [low, high] = std::minmax_element(t, t + targets.numel());
    if (*low < 0 || *high >= weight.size(0))
      throw InvalidArgument("[projected_cross_entropy] expected targets in [0, " +
                            std::to_string(weight.size(0)) + "), found " +
                            std::to_string(*low < 0 ? *low : *high));
  }
}

at::Tensor block_logits(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
  return bias.defined() ? at::addmm(bias, rows, weight.t()) : rows.mm(weight.t());  // (n, V)
}

class BlockedCrossEntropy : public torch::autograd::Function<BlockedCrossEntropy> {
 public:
  // An undefined bias comes as an empty optional: autograd takes no undefined input.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden,
                            const at::Tensor& weight, const std::optional<at::Tensor>& given_bias,
                            const at::Tensor& targets, bool learn) {
    const at::Tensor bias = given_bias.value_or(at::Tensor());
    at::Tensor d_hidden, d_weight, d_bias;
    if (learn) {
      d_hidden = at::empty_like(hidden);
      d_weight = at::zeros_like(weight);
      if (bias.defined()) d_bias = at::zeros_like(bias);
    }
    at::Tensor sum = at::zeros({}, hidden.options());
    const int64_t rows = hidden.size(0);
    const int64_t step = block_rows(weight.size(0));
    for (int64_t first = 0; first < rows; first += step) {
      const int64_t n = std::min(step, rows - first);
      const at::Tensor h = hidden.narrow(0, first, n);
      const at::Tensor t = targets.narrow(0, first, n).unsqueeze(1);  // (n, 1)
      at::Tensor p = block_logits(h, weight, bias);
      const at::Tensor log_sum = p.logsumexp({1}, true);  // (n, 1)
      sum += (log_sum - p.gather(1, t)).sum();
      if (!learn) continue;
      p.sub_(log_sum).exp_();
      p.scatter_add_(1, t, at::zeros({n, 1}, p.options()).sub_(1));  // d loss / d logits
      d_hidden.narrow(0, first, n).copy_(p.mm(weight));
      d_weight.addmm_(p.t(), h);
      if (bias.defined()) d_bias.add_(p.sum(0));
    }
    if (learn) context->save_for_backward({d_hidden, d_weight, d_bias});
    return sum;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
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
  const at::Tensor chosen = logits.log_softmax(1).gather(1, targets.unsqueeze(1));
  return chosen.sum().neg();
}

}  // namespace attend::ops
