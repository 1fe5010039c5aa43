// The normalisation that a configuration names.
#pragma once

#include <variant>

#include "attend/layers/kinds.h"
#include "attend/layers/layer_norm.h"
#include "attend/layers/rms_norm.h"

namespace attend {

class Norm {
 public:
  struct Options {
    int64_t width = 0;
    NormKind kind = NormKind::kLayer;
    double epsilon = 1e-5;
  };

  Norm() = default;
  /// Registers what LayerNorm or RmsNorm does.
  Norm(const ParameterScope& scope, const Options& options);

  /// x (..., D) -> (..., D)
  at::Tensor operator()(const at::Tensor& x) const {
    return std::visit([&](const auto& norm) { return norm(x); }, norm_);
  }

  /// Of x + dropout(change): in one op where that is there. options.epsilon is not read.
  at::Tensor of_sum(const at::Tensor& x, const at::Tensor& change,
                    const ops::ResidualNormOptions& options) const;

 private:
  std::variant<LayerNorm, RmsNorm> norm_;
};

}  // namespace attend
