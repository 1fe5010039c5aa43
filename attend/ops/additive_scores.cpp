#include "attend/ops/additive_scores.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "attend/ops/check.h"

namespace attend::ops {
namespace {

// tanh(q_i + k_j) for one query: (B, Tk, A).
at::Tensor features(const at::Tensor& q, const at::Tensor& k, int64_t i) {
  return k.add(q.select(1, i).unsqueeze(1)).tanh_();
}

at::Tensor score_each(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  at::Tensor scores = at::empty({q.size(0), q.size(1), k.size(1)}, q.options());
  for (int64_t i = 0; i < q.size(1); ++i)
    scores.select(1, i).copy_(at::matmul(features(q, k, i), w));  // (B, Tk)
  return scores;
}

struct AdditiveScores : torch::autograd::Function<AdditiveScores> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q,
                            const at::Tensor& k, const at::Tensor& w) {
    context->save_for_backward({q, k, w});
    return score_each(q, k, w);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &w = saved[2];
    at::Tensor dq = at::zeros_like(q), dk = at::zeros_like(k), dw = at::zeros_like(w);
    for (int64_t i = 0; i < q.size(1); ++i) {
      const at::Tensor f = features(q, k, i);                         // (B, Tk, A)
      const at::Tensor ds = gradients[0].select(1, i).unsqueeze(-1);  // (B, Tk, 1)
      const at::Tensor inner = at::tanh_backward(ds.mul(w), f);       // (B, Tk, A)
      dq.select(1, i).copy_(inner.sum(1));                            // (B, A)
      dk.add_(inner);
      dw.add_(at::matmul(f.reshape({-1, f.size(2)}).t(), ds.reshape({-1})));  // (A)
    }
    return {dq, dk, dw};
  }
};

void check(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  check_floating("additive_scores", {q, k, w});
  if (q.dim() != 3 || k.dim() != 3 || w.dim() != 1 || q.size(0) != k.size(0) ||
      q.size(2) != k.size(2) || q.size(2) != w.size(0))
    refuse("additive_scores", "q (B, Tq, A), k (B, Tk, A) and w (A)", {q, k, w});
}

}  // namespace

at::Tensor additive_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  check(q, k, w);
  if (c10::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || w.requires_grad()))
    return AdditiveScores::apply(q, k, w);
  return score_each(q, k, w);
}

at::Tensor additive_scores_composed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  check(q, k, w);
  return at::matmul(q.unsqueeze(2).add(k.unsqueeze(1)).tanh(), w);  // (B, Tq, Tk)
}

}  // namespace attend::ops
