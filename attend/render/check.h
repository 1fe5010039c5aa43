// What a map has to satisfy before it is drawn or written.
#pragma once

#include <string>

#include "attend/render/attention_map.h"

namespace attend::render {

/// Throws InvalidArgument when a panel's weights are not rows x columns many. A map without panels
/// and a panel without rows or columns are sound: they draw as empty.
void check_map(const AttentionMap& map, const std::string& operation);

/// What stands above a panel: its title, or one made of kind, layer and head (counted from 1).
std::string panel_title(const MapPanel& panel);

}  // namespace attend::render
