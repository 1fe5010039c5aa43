// Where the parts of a map's picture go, in pixels.
#pragma once

#include <string>
#include <vector>

#include "attend/render/attention_map.h"
#include "attend/render/axis_ticks.h"

namespace attend::render {

/// One panel, relative to its own top left corner.
struct PanelLayout {
  double cell = 0;      ///< side of a cell, a whole number of pixels
  double font = 0;      ///< of the labels
  double matrix_x = 0;  ///< left edge of the cells
  double matrix_y = 0;  ///< top edge of the cells
  double width = 0;     ///< all of the panel, its labels and title included
  double height = 0;
  bool omits_labels = false;  ///< some labels are left out, and no round numbers stand for them
  bool slanted = true;        ///< column labels at 45 degrees; else level
  bool shows_axes = true;     ///< the axes' names stand at the panel
  std::vector<std::string> title;  ///< lines
  std::vector<AxisTick> rows;      ///< labels as drawn
  std::vector<AxisTick> columns;
};

/// `alone`: the picture has this panel only, so it may be large. `cell` 0: chosen by the panel's
/// size.
PanelLayout layout_panel(const MapPanel& panel, bool alone, double cell);

/// How many panels stand side by side: the heads of a layer where the panels are a grid of layers
/// by heads, else a number that makes the picture about as wide as high.
size_t grid_columns(const AttentionMap& map);

constexpr double kTitleSize = 14;
constexpr double kAxisSize = 12;
constexpr double kSlant = 0.7071;  // sine and cosine of 45 degrees

}  // namespace attend::render
