// Column labels above a terminal's columns, level and in steps:
//
//     the
//     |   black
//     |   |    cat
//
#pragma once

#include <string>
#include <vector>

#include "attend/render/terminal_line.h"

namespace attend::render {

/// One label and the column of the screen that it starts at.
struct HeaderLabel {
  std::string text;  ///< printable, cut
  int x = 0;
};

/// How many lines the steps take. A label goes as low as it can: it stands above every later column
/// that it would run into. `labels` from left to right.
int header_height(const std::vector<HeaderLabel>& labels);
std::vector<TerminalLine> header_lines(const std::vector<HeaderLabel>& labels, TerminalColour mode);

/// Numbers from `first` on, digits below each other, for columns that are too many for steps.
std::vector<TerminalLine> number_lines(const std::vector<HeaderLabel>& labels, int64_t first,
                                       TerminalColour mode);

}  // namespace attend::render
