#include "attend/ops/additive_pairs.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "attend/kernels/additive_pairs.h"
#include "attend/kernels/transpose.h"
#include "attend/ops/fused.h"
#include "attend/ops/own_threads.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// q (..., Tq, A), k (..., Tk, A), w (A) or (H, A), contiguous.
struct Operands {
  const at::Tensor &q, &k, &w;

  int64_t queries() const { return q.size(-2); }
  int64_t keys() const { return k.size(-2); }
  int64_t features() const { return q.size(-1); }
  int64_t heads() const { return w.dim() == 2 ? w.size(0) : 1; }
  int64_t count() const { return q.dim() == 4 ? q.size(0) * q.size(1) : q.size(0); }
  double operations() const {  // some four for each feature of a pair
    return 4.0 * static_cast<double>(count() * queries()) *
           static_cast<double>(keys() * features());
  }
};

// The exponentials of the n-th of all sentences and heads.
template <class T>
struct Exponentials {
  Exponentials(const Operands& x, int64_t n)
      : queries(at::empty({x.queries(), x.features()}, x.q.options())),
        keys_t(at::zeros({x.features(), kernels::additive_stride<T>(x.keys())}, x.q.options())) {
    T *of_q = queries.template mutable_data_ptr<T>(), *of_k = keys_t.template mutable_data_ptr<T>();
    std::copy_n(x.q.template const_data_ptr<T>() + n * queries.numel(), queries.numel(), of_q);
    kernels::transpose(kernels::TransposeOperands<T>{
        x.k.template const_data_ptr<T>() + n * x.keys() * x.features(), x.features(), of_k,
        keys_t.size(1), x.keys(), x.features(), T(1)});
    kernels::additive_exponentials(of_q, queries.numel());
    kernels::additive_exponentials(of_k, keys_t.numel());  // e^0 behind the last key
    pairs = {
        of_q,          of_k,     x.w.template const_data_ptr<T>() + n % x.heads() * x.features(),
        x.queries(),   x.keys(), x.features(),
        keys_t.size(1)};
  }

  at::Tensor queries, keys_t;
  kernels::AdditivePairs<T> pairs;
};

at::Tensor score(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  const Operands x{q, k, w};
  std::vector<int64_t> sizes = q.sizes().vec();
  sizes.back() = x.keys();
  at::Tensor scores = at::empty(sizes, q.options());  // (B, [H,] Tq, Tk)
  with_type(q, [&]<class T>(T) {
    T* to = scores.mutable_data_ptr<T>();
    for_tasks(x.count(), x.operations(), [&](int64_t n) {
      kernels::additive_pairs_forward(Exponentials<T>(x, n).pairs, to + n * x.queries() * x.keys());
    });
  });
  return scores;
}

template <class T>
variable_list pairs_backward(const Operands& x, const at::Tensor& d_scores) {
  const int64_t features = x.features(), keys = x.keys();
  const at::Tensor d_q = at::empty(x.q.sizes(), x.q.options());
  const at::Tensor d_k = at::empty(x.k.sizes(), x.k.options());
  // Each task's own, so that they are added in one order.
  const int64_t sentences = x.heads() == 0 ? 0 : x.count() / x.heads();
  const at::Tensor d_w = at::zeros({sentences, x.heads(), features}, x.w.options());
  const T* d_s = d_scores.const_data_ptr<T>();
  T *to_q = d_q.mutable_data_ptr<T>(), *to_k = d_k.mutable_data_ptr<T>();
  T* to_w = d_w.mutable_data_ptr<T>();
  for_tasks(x.count(), 2 * x.operations(), [&](int64_t n) {
    const Exponentials<T> own(x, n);
    const at::Tensor d_keys = at::empty(own.keys_t.sizes(), own.keys_t.options());
    T* d_keys_t = d_keys.mutable_data_ptr<T>();
    kernels::additive_pairs_backward(
        own.pairs, {d_s + n * x.queries() * keys, to_q + n * x.queries() * features, d_keys_t,
                    to_w + n * features});
    kernels::transpose(kernels::TransposeOperands<T>{
        d_keys_t, d_keys.size(1), to_k + n * keys * features, features, features, keys, T(1)});
  });
  return {d_q, d_k, d_w.sum(0).view(x.w.sizes())};
}

struct AdditivePairs : torch::autograd::Function<AdditivePairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& w) {
    context->save_for_backward({q, k, w});
    return score(q, k, w);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    refuse_second_derivative("additive_scores");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor d_scores = gradients[0].contiguous();
    const Operands x{saved[0], saved[1], saved[2]};
    return with_type(d_scores, [&]<class T>(T) { return pairs_backward<T>(x, d_scores); });
  }
};

template <class T>
T greatest(const at::Tensor& x) {
  const at::Tensor whole = x.is_non_overlapping_and_dense() ? x : x.contiguous();
  return kernels::greatest_magnitude(whole.const_data_ptr<T>(), whole.numel());
}

}  // namespace

std::string additive_declined(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  const std::string reason = declined_by_kernels({q, k, w});
  if (!reason.empty()) return reason;
  return with_type(q, [&]<class T>(T) -> std::string {
    const T of_queries = greatest<T>(q), of_keys = greatest<T>(k);
    if (!(of_queries >= 0) || !(of_keys >= 0)) return "a feature is not finite";
    if (std::min(of_queries, of_keys) > kernels::kAdditiveReach<T>)
      return "queries and keys both have features beyond " +
             std::to_string(static_cast<int>(kernels::kAdditiveReach<T>)) +
             ", whose exponentials together are too great";
    return "";
  });
}

at::Tensor additive_pairs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  const at::Tensor own_q = q.contiguous(), own_k = k.contiguous(), own_w = w.contiguous();
  if (c10::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || w.requires_grad()))
    return AdditivePairs::apply(own_q, own_k, own_w);
  return score(own_q, own_k, own_w);
}

}  // namespace attend::ops::detail
