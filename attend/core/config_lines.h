// Tables as bare "table.key = value" lines, to store beside what they led to and to compare later.
#pragma once

#include <string>
#include <vector>

#include "attend/core/config.h"

namespace attend::core {

/// One line a field, without comments, in the order of the definition.
std::string config_lines(const std::vector<ConfigTable>& tables);

struct ConfigDifference {
  std::string key;      ///< "model.hidden"
  std::string stored;   ///< as TOML
  std::string present;  ///< as TOML; empty when there is no such key any more
};

/// The keys of `stored` whose value in `present` is another. Keys that only `present` has are left
/// out: a newer program may know more keys, and their defaults keep the old behaviour.
std::vector<ConfigDifference> config_differences(const std::string& stored,
                                                 const std::string& present);

}  // namespace attend::core
