// What both drawings of a diagram need to know of it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "attend/render/diagram.h"

namespace attend::render {

struct DiagramGrid {
  size_t columns = 0;
  size_t rows = 0;
  std::vector<std::vector<std::string>> lines;    ///< of each box, details too, printable
  std::vector<size_t> text_lines;                 ///< how many of them are its text
  std::vector<std::pair<size_t, size_t>> arrows;  ///< (from, to), indices of boxes
};

/// Throws InvalidArgument as diagram_to_svg() does.
DiagramGrid diagram_grid(const Diagram& diagram);

}  // namespace attend::render
