#include "attend/ops/additive_scores.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "attend/ops/additive_pairs.h"
#include "attend/ops/check.h"

namespace attend::ops {
namespace {

// tanh(q_i + k_j) for one query: (B, [H,] Tk, A).
at::Tensor features(const at::Tensor& q, const at::Tensor& k, int64_t i) {
  return k.add(q.select(-2, i).unsqueeze(-2)).tanh_();
}

// f (..., T, A) times w (A), or of each head its own, w (H, A) -> (..., T)
at::Tensor weighted(const at::Tensor& f, const at::Tensor& w) {
  return w.dim() == 1 ? at::matmul(f, w) : at::matmul(f, w.unsqueeze(-1)).squeeze(-1);
}

at::Tensor score_each(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  std::vector<int64_t> sizes = q.sizes().vec();
  sizes.back() = k.size(-2);
  at::Tensor scores = at::empty(sizes, q.options());  // (B, [H,] Tq, Tk)
  for (int64_t i = 0; i < q.size(-2); ++i)
    scores.select(-2, i).copy_(weighted(features(q, k, i), w));  // (B, [H,] Tk)
  return scores;
}

// The gradient of w from that of the scores of one query, ds (B, [H,] Tk, 1).
at::Tensor weight_gradient(const at::Tensor& f, const at::Tensor& ds, const at::Tensor& w) {
  if (w.dim() == 1) return at::matmul(f.reshape({-1, f.size(-1)}).t(), ds.reshape({-1}));  // (A)
  return at::matmul(f.transpose(-2, -1), ds).squeeze(-1).sum(0);                           // (H, A)
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
    const at::Tensor per_row = w.dim() == 1 ? w : w.unsqueeze(1);  // (A) or (H, 1, A)
    for (int64_t i = 0; i < q.size(-2); ++i) {
      const at::Tensor f = features(q, k, i);                          // (B, [H,] Tk, A)
      const at::Tensor ds = gradients[0].select(-2, i).unsqueeze(-1);  // (B, [H,] Tk, 1)
      const at::Tensor inner = at::tanh_backward(ds.mul(per_row), f);  // (B, [H,] Tk, A)
      dq.select(-2, i).copy_(inner.sum(-2));                           // (B, [H,] A)
      dk.add_(inner);
      dw.add_(weight_gradient(f, ds, w));
    }
    return {dq, dk, dw};
  }
};

void check(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  check_floating("additive_scores", {q, k, w});
  const int64_t n = q.dim();
  const bool fits = (n == 3 || n == 4) && k.dim() == n && q.size(0) == k.size(0) &&
                    (n == 3 || q.size(1) == k.size(1)) && q.size(-1) == k.size(-1) &&
                    (w.dim() == 1 || (n == 4 && w.dim() == 2 && w.size(0) == q.size(1))) &&
                    w.size(-1) == q.size(-1);
  if (!fits)
    refuse("additive_scores", "q (B, [H,] Tq, A), k (B, [H,] Tk, A) and w (A) or (H, A)",
           {q, k, w});
}

}  // namespace

at::Tensor additive_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  check(q, k, w);
  if (detail::additive_declined(q, k, w).empty()) return detail::additive_pairs(q, k, w);
  if (c10::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || w.requires_grad()))
    return AdditiveScores::apply(q, k, w);
  return score_each(q, k, w);
}

at::Tensor additive_scores_composed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  check(q, k, w);
  const at::Tensor f = q.unsqueeze(-2).add(k.unsqueeze(-3)).tanh();  // (B, [H,] Tq, Tk, A)
  if (w.dim() == 1) return at::matmul(f, w);                         // (B, [H,] Tq, Tk)
  return f.mul(w.view({w.size(0), 1, 1, w.size(1)})).sum(-1);        // (B, H, Tq, Tk)
}

}  // namespace attend::ops
