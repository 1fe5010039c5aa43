#include "attend/ops/additive_pairs.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "attend/kernels/additive_pairs.h"
#include "attend/kernels/transpose.h"
#include "attend/ops/fused.h"

namespace attend::ops::detail {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Room for one sentence's (or head's) exponentials, and the gradients of the keys' features.
template <class T>
class Pairs {
 public:
  // q (..., Tq, A), k (..., Tk, A), w (A) or (H, A), contiguous.
  Pairs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w)
      : q_(q), k_(k), w_(w), heads_(w.dim() == 2 ? w.size(0) : 1) {
    const int64_t stride = kernels::additive_stride<T>(k.size(-2)), features = q.size(-1);
    queries_ = at::empty({q.size(-2), features}, q.options());
    keys_t_ = at::empty({features, stride}, q.options());
    pairs_ = {queries_.const_data_ptr<T>(),
              keys_t_.const_data_ptr<T>(),
              nullptr,
              q.size(-2),
              k.size(-2),
              features,
              stride};
  }

  int64_t count() const { return q_.dim() == 4 ? q_.size(0) * q_.size(1) : q_.size(0); }
  int64_t head(int64_t n) const { return n % heads_; }

  // The n-th of all (batch, head) pairs.
  const kernels::AdditivePairs<T>& at(int64_t n) {
    const int64_t own = pairs_.query_count * pairs_.features;
    T* queries = queries_.mutable_data_ptr<T>();
    std::copy_n(q_.const_data_ptr<T>() + n * own, own, queries);
    kernels::additive_exponentials(queries, own);
    T* keys = keys_t_.mutable_data_ptr<T>();
    std::fill_n(keys, keys_t_.numel(), T(0));  // behind the last key e^0
    kernels::transpose(kernels::TransposeOperands<T>{
        k_.const_data_ptr<T>() + n * pairs_.key_count * pairs_.features, pairs_.features, keys,
        pairs_.stride, pairs_.key_count, pairs_.features, T(1)});
    kernels::additive_exponentials(keys, keys_t_.numel());
    pairs_.score = w_.const_data_ptr<T>() + head(n) * pairs_.features;
    return pairs_;
  }

 private:
  const at::Tensor q_, k_, w_;
  int64_t heads_;
  at::Tensor queries_, keys_t_;
  kernels::AdditivePairs<T> pairs_;
};

at::Tensor score(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w) {
  std::vector<int64_t> sizes = q.sizes().vec();
  sizes.back() = k.size(-2);
  at::Tensor scores = at::empty(sizes, q.options());  // (B, [H,] Tq, Tk)
  with_type(q, [&]<class T>(T) {
    Pairs<T> pairs(q, k, w);
    T* to = scores.mutable_data_ptr<T>();
    for (int64_t n = 0; n < pairs.count(); ++n, to += q.size(-2) * k.size(-2))
      kernels::additive_pairs_forward(pairs.at(n), to);
  });
  return scores;
}

template <class T>
variable_list take_back(const at::Tensor& q, const at::Tensor& k, const at::Tensor& w,
                        const at::Tensor& d_scores) {
  Pairs<T> pairs(q, k, w);
  const at::Tensor d_q = at::empty(q.sizes(), q.options()), d_k = at::empty(k.sizes(), k.options());
  const at::Tensor d_w = at::zeros_like(w);
  const int64_t features = q.size(-1), keys = k.size(-2);
  const at::Tensor keys_t = at::empty({features, kernels::additive_stride<T>(keys)}, q.options());
  for (int64_t n = 0; n < pairs.count(); ++n) {
    T* d_keys_t = keys_t.mutable_data_ptr<T>();
    kernels::additive_pairs_backward(
        pairs.at(n), {d_scores.const_data_ptr<T>() + n * q.size(-2) * keys,
                      d_q.mutable_data_ptr<T>() + n * q.size(-2) * features, d_keys_t,
                      d_w.mutable_data_ptr<T>() + pairs.head(n) * features});
    kernels::transpose(kernels::TransposeOperands<T>{
        d_keys_t, keys_t.size(1), d_k.mutable_data_ptr<T>() + n * keys * features, features,
        features, keys, T(1)});
  }
  return {d_q, d_k, d_w};
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
    return with_type(
        d_scores, [&]<class T>(T) { return take_back<T>(saved[0], saved[1], saved[2], d_scores); });
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
