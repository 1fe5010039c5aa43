// A linear map that attention layers share: y = x W^T + b.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "attend/ops/parameter_store.h"

namespace attend {

/// Registers "<name>.weight" (outputs, inputs) and, if asked for, "<name>.bias" (outputs), which
/// begins at zero.
class Projection {
 public:
  struct Options {
    int64_t inputs = 0;
    int64_t outputs = 0;
    bool bias = false;
    Init init = Init::kXavierUniform;  ///< of the weight
  };

  Projection(const ParameterScope& scope, std::string_view name, const Options& options);

  /// x (..., inputs) -> (..., outputs)
  at::Tensor forward(const at::Tensor& x) const;

  int64_t inputs() const { return inputs_; }
  const Parameter& weight() const { return weight_; }
  const Parameter& bias() const { return bias_; }  ///< empty without a bias

 private:
  int64_t inputs_;
  Parameter weight_;
  Parameter bias_;
};

}  // namespace attend
