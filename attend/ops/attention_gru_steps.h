// attention_gru with its gradient written out, for the CPU; private to ops.
#pragma once

#include "attend/ops/attention_gru.h"

namespace attend::ops::detail {

/// attention_gru for checked arguments that takes_steps() accepts; at least one step.
at::Tensor attention_gru_steps(const at::Tensor& input_gates, const TimeMajor& layout,
                               const AttentionMemory& memory,
                               const std::vector<at::Tensor>& initial,
                               const AttentionGruWeights& weights, const AttentionDropout& dropout);

}  // namespace attend::ops::detail
