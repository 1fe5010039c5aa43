// Dotted names as a tree.
#pragma once

#include <string>

#include "attend/ops/parameter_store.h"

namespace attend::cli {

/// "1,234,567".
std::string grouped(int64_t value);

/// A line a scope or parameter: its name, shape and count; "encoder.layers.0.weight" stands three
/// levels deep. Ends with a line feed.
std::string parameter_tree(const ParameterStore& store);

}  // namespace attend::cli
