#include "attend/decoding/config.h"

namespace attend::decoding {

core::ConfigTable describe(DecodingConfig& config) {
  return core::ConfigTable("decoding", "How translations are found (greedily)")
      .add("max_steps", config.max_steps,
           "Longest translation in tokens, the end mark included; 0: as many as [data] steps.", 0,
           1000000)
      .add("batch_size", config.batch_size,
           "Sentences decoded together. Changes the speed and no result.", 1, 1000000);
}

}  // namespace attend::decoding
