// An op that runs a pass of attend/fused: its weights are copied into one flat buffer, as a model
// has them, and everything that the gradient needs lives in the call's workspace; private to ops.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <vector>

#include "attend/fused/linear.h"
#include "attend/fused/time_major.h"
#include "attend/fused/workspace.h"
#include "attend/ops/fused.h"

namespace attend::ops::detail {

/// Kept by autograd's context between the two passes. T is float or double.
template <class T>
class FusedCall : public torch::CustomClassHolder {
 public:
  /// Registers a weight (outputs, inputs), or a vector; before begin().
  fused::WeightPlace weight(const at::Tensor& x) {
    return {vector(x), x.size(0), x.size(1), x.size(1)};
  }
  int64_t vector(const at::Tensor& x) {
    const int64_t offset = numel_;
    numel_ += x.numel();
    weights_.push_back(x);
    return offset;
  }

  /// Copies the weights. Panels are packed, so passes have to be built before.
  void begin(const core::DropoutState& dropout) {
    dropout_ = dropout;
    flat_ = fresh({numel_}, weights_.front().options().requires_grad(false));
    T* to = flat_.mutable_data_ptr<T>();
    for (at::Tensor& x : weights_) {
      const at::Tensor rows = x.contiguous();
      to = std::copy_n(rows.const_data_ptr<T>(), rows.numel(), to);
    }
    panels.pack(flat_.const_data_ptr<T>());
  }

  /// For the pass forward; what it takes lives as long as the call.
  fused::Pass<T> pass() { return {flat_.const_data_ptr<T>(), panels, nullptr, work_, dropout_}; }

  /// For a pass backward, which sets d_weights (numel). `work` is its own: a graph that is kept may
  /// be gone through many times, and by threads at once.
  fused::Pass<T> pass(const at::Tensor& d_weights, fused::Workspace& work) const {
    return {flat_.const_data_ptr<T>(), panels, d_weights.mutable_data_ptr<T>(), work, dropout_};
  }

  /// A buffer for the weights' gradients, and each one's part of it, in the order of registration.
  at::Tensor empty_gradient() const { return fresh({numel_}, flat_.options()); }
  std::vector<at::Tensor> parts(const at::Tensor& d_weights) const {
    std::vector<at::Tensor> parts;
    int64_t offset = 0;
    for (const at::Tensor& x : weights_) {
      parts.push_back(d_weights.narrow(0, offset, x.numel()).view(x.sizes()));
      offset += x.numel();
    }
    return parts;
  }

  fused::Panels<T> panels;

 private:
  std::vector<at::Tensor> weights_;
  at::Tensor flat_;
  fused::Workspace work_;
  core::DropoutState dropout_;
  int64_t numel_ = 0;
};

/// Rows of a contiguous matrix (N, C).
template <class T>
fused::Rows<const T> rows_of(const at::Tensor& x) {
  return {x.const_data_ptr<T>(), x.size(0), x.size(1)};
}
template <class T>
fused::Rows<T> rows_to(const at::Tensor& x) {
  return {x.mutable_data_ptr<T>(), x.size(0), x.size(1)};
}

}  // namespace attend::ops::detail
