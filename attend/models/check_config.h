// Whether the keys of [model] go together.
#pragma once

#include "attend/models/config.h"

namespace attend {

/// All that can be known before there are vocabularies; `longest` has to be set for learned
/// positions. Throws InvalidArgument, naming the keys. make_model() asks too.
void check_config(const ModelConfig& config);

}  // namespace attend
