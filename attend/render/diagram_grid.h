// What both drawings of a diagram need to know of it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "attend/render/diagram.h"

namespace attend::render {

/// How an arrow gets from box to box.
enum class ArrowRoute {
  kLevel,     ///< to the next column in the same row
  kStraight,  ///< within a column, with no box between
  kBypass,    ///< within a column past the boxes between: left of the first column, right of others
  kElbow,     ///< to the next column in another row, through the gap before it
  kBack,      ///< to the column before, level and then up through its empty places
  kAcross,    ///< any other: the boxes between are in the way
};

struct DiagramGrid {
  size_t columns = 0;
  size_t rows = 0;
  std::vector<std::vector<std::string>> lines;    ///< of each box, details too, printable
  std::vector<size_t> text_lines;                 ///< how many of them are its text
  std::vector<std::pair<size_t, size_t>> arrows;  ///< (from, to), indices of boxes
  std::vector<ArrowRoute> routes;                 ///< of each arrow
  std::vector<bool> has_bypass;                   ///< of each column
};

/// Throws InvalidArgument as diagram_to_svg() does.
DiagramGrid diagram_grid(const Diagram& diagram);

}  // namespace attend::render
