// The linear map that attention, layers and models share: y = x W^T + b.
#pragma once

#include "attend/ops/parameter_store.h"

namespace attend {

class Linear {
 public:
  struct Options {
    int64_t inputs = 0;
    int64_t outputs = 0;
    bool bias = true;
    Init init = Init::kXavierUniform;
  };

  Linear() = default;
  /// Registers `weight` (outputs, inputs) and `bias` (outputs, zeros at first).
  Linear(const ParameterScope& scope, const Options& options);

  /// x (..., inputs) -> (..., outputs). Throws InvalidArgument for another width.
  at::Tensor operator()(const at::Tensor& x) const;

  int64_t inputs() const { return inputs_; }
  const at::Tensor& weight() const { return *weight_; }
  at::Tensor bias() const { return bias_ ? *bias_ : at::Tensor(); }

 private:
  int64_t inputs_ = 0;
  Parameter weight_;
  Parameter bias_;
};

}  // namespace attend
