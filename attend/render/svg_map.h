// Heat maps as SVG: one panel, or a grid of them, on one colour scale.
#pragma once

#include <string>

#include "attend/render/attention_map.h"
#include "attend/render/svg_writer.h"
#include "attend/render/value_scale.h"

namespace attend::render {

struct SvgOptions {
  Scaling scaling = Scaling::kUnit;
  Theme theme = Theme::kAuto;
  int columns = 0;       ///< panels side by side; 0: heads side by side, layers below each other
  double cell = 0;       ///< side of a cell in pixels; 0: by the size of the panels
  bool captions = true;  ///< the map's title, source and target text above
  size_t most_titles = 4000;  ///< cells; with more, they have no titles and take far fewer bytes
  std::string quantity = "weight";  ///< what the numbers are, with their unit: named at the scale
};

/// A self-contained SVG 1.1 document: rows are queries, columns keys, a scale bar with numbers
/// below. Up to `most_titles` cells in all, each is an element that shows its exact weight on
/// hover; beyond that, the cells of each of 256 colours are one path, with equal neighbours in a
/// row merged, so that a panel of 200 x 200 stays below 1 MB. A weight that is not finite is grey
/// and crossed (or, in large maps, grey) and the scale says so. Throws InvalidArgument for an
/// unsound map or one of over 4 million cells.
std::string map_to_svg(const AttentionMap& map, const SvgOptions& options = {});

}  // namespace attend::render
