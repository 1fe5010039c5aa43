#include "attend/ops/sparsemax.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/where.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <optional>

#include "attend/ops/normalise.h"

namespace attend::ops {
namespace {

constexpr double kHiddenScore = -std::numeric_limits<double>::infinity();

// Algorithm 1 for each row of (..., n), n >= 1.
at::Tensor project_on_simplex(const at::Tensor& scores) {
  // A number added to a whole row changes nothing: from the largest down, sums stay small.
  const at::Tensor s = scores - scores.detach().amax(-1, /*keepdim=*/true);
  const at::Tensor sorted = std::get<0>(at::sort(s, -1, /*descending=*/true));
  const at::Tensor sums = sorted.cumsum(-1);
  const at::Tensor k = at::arange(1, s.size(-1) + 1, s.options());
  const at::Tensor support = (k * sorted).add(1.0).gt(sums).sum(-1, /*keepdim=*/true).clamp_min(1);
  const at::Tensor tau = (sums.gather(-1, support - 1) - 1.0) / support;  // (..., 1)
  return (s - tau).clamp_min(0.0);
}

at::Tensor forward_values(const at::Tensor& scores, const at::Tensor& hidden) {
  if (scores.numel() == 0) return scores.clone();
  // Sums over many keys need more than the 8 to 11 bits of the half types.
  const at::Tensor s = scores.to(at::toOpMathType(scores.scalar_type()));
  if (!hidden.defined()) return project_on_simplex(s).to(scores.scalar_type());
  // A row without a key is NaN after the projection, alone, and is cleared with its hidden entries.
  return project_on_simplex(s.masked_fill(hidden, kHiddenScore))
      .masked_fill(hidden, 0.0)
      .to(scores.scalar_type());
}

struct Sparsemax : torch::autograd::Function<Sparsemax> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& scores,
                            const std::optional<at::Tensor>& hidden) {
    at::Tensor weights = forward_values(scores, hidden.value_or(at::Tensor()));
    context->save_for_backward({weights});
    return weights;
  }

  // Proposition 2: within the support, the arriving gradient less its mean; elsewhere 0.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::Tensor weights = context->get_saved_variables()[0];
    const at::Tensor support = weights.gt(0.0);
    const at::Tensor arriving = gradients[0]
                                    .to(at::toOpMathType(weights.scalar_type()))
                                    .masked_fill(support.logical_not(), 0.0);
    const at::Tensor mean = arriving.sum(-1, /*keepdim=*/true) /
                            support.sum(-1, /*keepdim=*/true).clamp_min(1);  // (..., 1)
    const at::Tensor gradient = (arriving - mean).masked_fill(support.logical_not(), 0.0);
    return {gradient.to(weights.scalar_type()), at::Tensor()};
  }
};

}  // namespace

at::Tensor sparsemax(const at::Tensor& scores, const at::Tensor& hidden) {
  check_hidden("sparsemax", scores, hidden);
  if (c10::GradMode::is_enabled() && scores.requires_grad())
    return Sparsemax::apply(scores, hidden.defined() ? std::optional(hidden) : std::nullopt);
  return forward_values(scores, hidden);
}

at::Tensor sparsemax(const at::Tensor& scores, const Mask& mask) {
  check_scores("sparsemax", scores);
  return sparsemax(scores, mask.hidden_for(scores.sizes(), scores.device()));
}

at::Tensor sparsemax_composed(const at::Tensor& scores, const at::Tensor& hidden) {
  return forward_values(scores, hidden);
}

}  // namespace attend::ops
