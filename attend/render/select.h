// Choosing among the panels of a map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attend/render/attention_map.h"

namespace attend::render {

struct Selection {
  std::optional<int64_t> layer;     ///< from 0
  std::optional<int64_t> head;      ///< from 0
  std::optional<std::string> kind;  ///< "cross", ...
};

/// The map with the panels that fit, in their order. Throws InvalidArgument, listing what there is,
/// when none fits.
AttentionMap select(const AttentionMap& map, const Selection& selection);

/// One panel in place of each group of heads: panels of equal kind, layer and labels with a head
/// number give their mean. Others stay as they are. The order is that of first occurrence.
AttentionMap mean_over_heads(const AttentionMap& map);

/// "cross layer 1 heads 1, 2; layer 2 head 1", as messages list it, numbers from 1.
std::string list_panels(const AttentionMap& map);

}  // namespace attend::render
