// configs/*.toml, compiled in by CMake, so that `--config bahdanau` works wherever the program is.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace attend::cli {

/// (name, TOML text) of each.
const std::vector<std::pair<std::string_view, std::string_view>>& presets();

}  // namespace attend::cli
