#include "attend/ops/linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

#include <optional>
#include <string>

#include "attend/ops/bfloat16_product.h"
#include "attend/ops/check.h"

namespace attend {

Linear::Linear(const ParameterScope& scope, const Options& options)
    : inputs_(options.inputs),
      weight_(scope.add("weight", {options.outputs, options.inputs}, options.init)) {
  if (options.bias) bias_ = scope.add("bias", {options.outputs}, Init::kZeros);
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  if (!x.defined() || x.dim() < 1 || x.size(-1) != inputs_)
    ops::refuse("linear", "(..., " + std::to_string(inputs_) + ")", {x});
  if (ops::detail::in_bfloat16(x)) {
    const at::Tensor y = ops::detail::bfloat16_linear(x, *weight_);  // (..., outputs)
    return bias_ ? y + *bias_ : y;
  }
  return at::linear(x, *weight_, bias_ ? std::optional<at::Tensor>(*bias_) : std::nullopt);
}

}  // namespace attend
