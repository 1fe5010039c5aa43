// SVG to PNG, through librsvg where it was there at build time.
#pragma once

#include <string>

#include "attend/render/svg_map.h"

namespace attend::render {

struct PngOptions {
  SvgOptions svg;    ///< a theme of kAuto counts as kLight
  double scale = 2;  ///< pixels per SVG unit, 0.1 to 16
};

/// Whether this build can write PNG.
bool has_png();

/// Throws InvalidArgument when this build has no librsvg, for a scale out of range, a picture of
/// more than 30,000 pixels a side or 200 million in all; DataError when librsvg cannot read the
/// SVG.
std::string svg_to_png(const std::string& svg, double scale = 2);
std::string map_to_png(const AttentionMap& map, const PngOptions& options = {});

}  // namespace attend::render
