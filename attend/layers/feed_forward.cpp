#include "attend/layers/feed_forward.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/silu.h>

#include "attend/core/errors.h"

namespace attend {

FeedForward::FeedForward(const ParameterScope& scope, const Options& options)
    : activation_(options.activation) {
  const Linear::Options inwards{.inputs = options.width, .outputs = options.inner};
  inner_ = Linear(scope.scope("inner"), inwards);
  if (activation_ == Activation::kSwiglu) gate_ = Linear(scope.scope("gate"), inwards);
  outer_ = Linear(scope.scope("outer"), {.inputs = options.inner, .outputs = options.width});
}

at::Tensor FeedForward::operator()(const at::Tensor& x) const {
  const at::Tensor inner = inner_(x);  // (..., inner)
  switch (activation_) {
    case Activation::kRelu:
      return outer_(inner.relu());
    case Activation::kGelu:
      return outer_(at::gelu(inner));
    case Activation::kSwiglu:
      return outer_(at::silu(gate_(x)) * inner);
  }
  throw InternalError("[feed_forward] an unknown activation");
}

}  // namespace attend
