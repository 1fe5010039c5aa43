// Decoding by kernels (attend/fused/decoder.h) as models take it: copies of the weights in the form
// that products want, made anew when the parameters have changed, and states of its own.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attend/fused/decoder.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// How a model decodes by kernels, or why it does not.
struct DecoderRecipe {
  /// The decoder over the flat parameters; they have to stay.
  std::function<std::shared_ptr<const fused::Decoder>(const float* parameters)> make;
  std::string declined;
};

/// Counts what is written to the parameters; 0 for tensors of LibTorch's inference mode, which
/// count nothing.
uint32_t parameters_version(const ParameterStore& store);

/// A decoder of the parameters as they are. Safe from many threads at once, but for changes of the
/// parameters.
class KernelDecoder {
 public:
  /// Null when the recipe declines. `recipe` is called once, when the first decoder is asked for;
  /// the store has to be the same each time.
  std::shared_ptr<const fused::Decoder> current(const ParameterStore& store,
                                                const std::function<DecoderRecipe()>& recipe);

 private:
  std::mutex mutex_;
  bool asked_ = false;
  DecoderRecipe recipe_;
  std::shared_ptr<const fused::Decoder> decoder_;
  // What the decoder was made of.
  at::Tensor flat_;
  uint32_t version_ = 0;
  int64_t panel_ = 0;
};

}  // namespace attend
