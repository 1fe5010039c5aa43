// The [decoding] table: what translate, evaluate and map do where their flags say nothing, and the
// sample translations of training.
#pragma once

#include <cstdint>

#include "attend/core/config.h"

namespace attend {
struct LoadedModel;  // attend/models/model_files.h
}

namespace attend::decoding {

struct DecodingConfig {
  int64_t max_steps = 0;    ///< target tokens, the end mark included; 0: [data] steps
  int64_t batch_size = 64;  ///< sentences decoded together; changes no result
  /// Where the target is made of words: an unknown one becomes the source word most attended to.
  bool replace_unknown = true;
};
core::ConfigTable describe(DecodingConfig& config);

/// The table in a model's config.toml; the defaults for a model that was not loaded. Throws
/// DataError, naming the file and the line.
DecodingConfig decoding_config(const LoadedModel& model);

}  // namespace attend::decoding
