#include "attend/attention/projection.h"

#include <ATen/ops/linear.h>

#include <optional>
#include <string>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {

Projection::Projection(const ParameterScope& scope, std::string_view name, const Options& options)
    : inputs_(options.inputs) {
  const ParameterScope own = scope.scope(name);
  weight_ = own.add("weight", {options.outputs, options.inputs}, options.init);
  if (options.bias) bias_ = own.add("bias", {options.outputs}, Init::kZeros);
}

at::Tensor Projection::forward(const at::Tensor& x) const {
  if (!x.defined() || x.dim() < 1 || x.size(-1) != inputs_)
    ops::refuse("projection", "(..., " + std::to_string(inputs_) + ")", {x});
  return at::linear(x, *weight_, bias_ ? std::optional<at::Tensor>(*bias_) : std::nullopt);
}

}  // namespace attend
