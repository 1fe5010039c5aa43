// Boxes and arrows on a grid: how parts hang together.
#pragma once

#include <string>
#include <vector>

#include "attend/render/curves.h"

namespace attend::render {

struct DiagramBox {
  enum class Kind {
    kPart,   ///< something that computes
    kData,   ///< what goes in or comes out: drawn without a frame
    kFocus,  ///< a part that the diagram is about: filled
  };
  std::string id;    ///< what arrows name
  std::string text;  ///< lines, separated by '\n'
  int column = 0;    ///< from the left
  int row = 0;       ///< from the top
  Kind kind = Kind::kPart;
  std::string details = {};  ///< more lines below, fainter: shapes of parameters
};

struct DiagramArrow {
  std::string from;   ///< a box's id
  std::string to;     ///< another's
  std::string label;  ///< may be empty: "keys, values"
};

struct Diagram {
  std::string title;
  std::vector<DiagramBox> boxes;  ///< no two at one place
  std::vector<DiagramArrow> arrows;
};

/// Columns and rows are as wide and high as their boxes need; an arrow between two boxes of a
/// column goes past those between at the side, outside the diagram where it can. Throws
/// InvalidArgument for an arrow that names no box, for ids or places that occur twice and for
/// places below 0.
std::string diagram_to_svg(const Diagram& diagram, Theme theme = Theme::kAuto);

/// Boxes in line-drawing characters (plain ones in ASCII). Arrows within a column, between
/// neighbours in a row, to the next column and back to an empty place below the target are drawn;
/// the others, and labels that find no place, are listed below.
std::string diagram_to_terminal(const Diagram& diagram, const CurveTerminalOptions& options = {});

}  // namespace attend::render
