// Numbers on the command line, checked before they are converted.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace attend::cli {

/// For an option's check(): "--limit: expected a whole number, 0 to 1000, found -1", however long
/// what was typed is.
CLI::Validator whole_number(int64_t least, int64_t most);

}  // namespace attend::cli
