// Files that the oracles wrote (tools/make_core_goldens.py), and what is in them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "attend/core/files.h"

namespace attend::core::testing {

inline std::string golden_path(const std::string& name) {
  return std::string(ATTEND_TEST_DATA) + "/core/" + name;
}

inline std::string golden_bytes(const std::string& name) { return read_file(golden_path(name)); }

inline nlohmann::json golden_json() { return nlohmann::json::parse(golden_bytes("golden.json")); }

}  // namespace attend::core::testing
