// An attention map as an interactive page of its own.
#pragma once

#include <string>

#include "attend/render/attention_map.h"
#include "attend/render/page.h"
#include "attend/render/value_scale.h"

namespace attend::render {

struct HtmlOptions {
  Scaling scaling = Scaling::kUnit;  ///< what the page shows first; a switch in it changes that
};

/// A self-contained page (see page.h): choose a panel or the mean over a layer's heads; point at a
/// cell, or at a word of either text, to see its row and column with exact numbers; arrow keys do
/// the same; values as a table; the JSON to download. Without JavaScript the picture of
/// map_to_svg() is shown (for more than 40,000 cells, of the first panel). Throws InvalidArgument
/// for an unsound map.
std::string map_to_html(const AttentionMap& map, const HtmlOptions& options = {});

/// Adds the viewer to a page as section "map"; once a page.
void add_map_viewer(Page& page, const AttentionMap& map, const HtmlOptions& options = {});

}  // namespace attend::render
