#include "attend/layers/norm.h"

namespace attend {

Norm::Norm(const ParameterScope& scope, const Options& options) {
  if (options.kind == NormKind::kRms)
    norm_ = RmsNorm(scope, {.width = options.width, .epsilon = options.epsilon});
  else
    norm_ = LayerNorm(scope, {.width = options.width, .epsilon = options.epsilon});
}

}  // namespace attend
