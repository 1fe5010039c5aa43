// The Transformer's training step and decoding by kernels, in its plain form.
#pragma once

#include "attend/models/config.h"
#include "attend/models/kernel_decoder.h"
#include "attend/models/training_step.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// For the parameters of a TransformerModel. Declines, by the key's name, options that kernels do
/// not know.
FusedStep transformer_step(const ModelConfig& config, const ParameterStore& store);

/// Decoding by kernels likewise.
DecoderRecipe transformer_decoder(const ModelConfig& config, const ParameterStore& store);

}  // namespace attend
