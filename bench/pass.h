// Passes of a Work, forward alone or with its gradients, and what is done with them: stored, judged
// finite, timed.
#pragma once

#include <filesystem>

#include "bench/work.h"

namespace attend::bench {

struct Pass {
  at::Tensor output;
  std::vector<at::Tensor> gradients;  ///< of the inputs, from that of the output; none of forward
};

/// The gradient of the output is the output itself: any would do, and this one needs no tensor
/// more.
Pass run_pass(const Work& work, bool backward);

bool finite(const Pass& result);

/// A safetensors file: output, input.NAME and gradient.NAME.
void write_pass(const std::filesystem::path& path, const Work& work, const Pass& result);

/// The mean over as many passes as take `seconds`, after one that does not count.
double seconds_a_pass(const Work& work, bool backward, double seconds);

}  // namespace attend::bench
