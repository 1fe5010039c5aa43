#include "attend/layers/feed_forward.h"

namespace attend {

FeedForward::FeedForward(const ParameterScope& scope, const Options& options)
    : inner_(scope.scope("inner"), {.inputs = options.width, .outputs = options.inner}),
      outer_(scope.scope("outer"), {.inputs = options.inner, .outputs = options.width}) {}

}  // namespace attend
