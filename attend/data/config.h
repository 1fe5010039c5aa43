// The [data] table.
#pragma once

#include <cstdint>
#include <string>

#include "attend/core/config.h"

namespace attend::data {

struct DataConfig {
  std::string pairs;   ///< file of pairs in columns; or the next two
  std::string source;  ///< one sentence a line
  std::string target;
  std::string columns;      ///< of `pairs` and `valid_pairs`, as in "2,4"; empty: the first two
  std::string valid_pairs;  ///< held-out pairs; or the next two; or a share
  std::string valid_source;
  std::string valid_target;
  double valid_share = 0.0;  ///< of the distinct source sentences, held out by source side; 0: none
  int64_t limit = 0;         ///< the first N pairs; 0: all
  int64_t sample = 0;        ///< N pairs drawn by the seed; 0: all
  int64_t steps = 10;    ///< longest sentence in tokens, the end mark included; longer ones are cut
  bool reverse = false;  ///< swap the columns: translate the second language into the first
};
core::ConfigTable describe(DataConfig& config);

}  // namespace attend::data
