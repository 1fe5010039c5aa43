#include "attend/ops/masked_softmax.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/softmax.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>

#include "attend/ops/normalise.h"

namespace attend::ops {
namespace {

constexpr double kHiddenScore = -std::numeric_limits<double>::infinity();  // exp() of it is 0

at::Tensor forward_values(const at::Tensor& scores, const at::Tensor& hidden) {
  // A row without a key is NaN after the softmax, alone, and is cleared with its hidden entries.
  return at::_softmax(scores.masked_fill(hidden, kHiddenScore), -1, /*half_to_float=*/false)
      .masked_fill_(hidden, 0.0);
}

// One node instead of three, and finite throughout, so that anomaly detection stays quiet.
struct MaskedSoftmax : torch::autograd::Function<MaskedSoftmax> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& scores,
                            const at::Tensor& hidden) {
    at::Tensor weights = forward_values(scores, hidden);
    context->save_for_backward({weights, hidden});
    return weights;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& weights = saved[0];
    // Hidden weights are constants: what arrives there counts for nothing, NaN included.
    const at::Tensor arriving = gradients[0].masked_fill(saved[1], 0.0);
    return {at::_softmax_backward_data(arriving, weights, -1, weights.scalar_type()), at::Tensor()};
  }
};

}  // namespace

at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& hidden) {
  check_hidden("masked_softmax", scores, hidden);
  if (!hidden.defined()) return at::softmax(scores, -1);
  if (c10::GradMode::is_enabled() && scores.requires_grad())
    return MaskedSoftmax::apply(scores, hidden);
  return forward_values(scores, hidden);
}

at::Tensor masked_softmax(const at::Tensor& scores, const Mask& mask) {
  check_scores("masked_softmax", scores);
  return masked_softmax(scores, mask.hidden_for(scores.sizes(), scores.device()));
}

at::Tensor masked_softmax_composed(const at::Tensor& scores, const at::Tensor& hidden) {
  if (!hidden.defined()) return at::softmax(scores, -1);
  return at::softmax(scores.masked_fill(hidden, kHiddenScore), -1).masked_fill(hidden, 0.0);
}

}  // namespace attend::ops
