// The [decoding] table: what translate does when its flags say nothing.
#pragma once

#include <cstdint>

#include "attend/core/config.h"

namespace attend::decoding {

struct DecodingConfig {
  int64_t max_steps = 0;    ///< target tokens, the end mark included; 0: [data] steps
  int64_t batch_size = 64;  ///< sentences decoded together; changes no result
};
core::ConfigTable describe(DecodingConfig& config);

}  // namespace attend::decoding
