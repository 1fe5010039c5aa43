// Text files compiled into the program by CMake, so that it needs none beside it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace attend::lessons {

/// js/*.js, the phrasebook and what is in data/alignments: (name without ending, text) of each.
const std::vector<std::pair<std::string_view, std::string_view>>& assets();

/// One of them. Throws InternalError for a name that is not there.
std::string_view asset(std::string_view name);

}  // namespace attend::lessons
