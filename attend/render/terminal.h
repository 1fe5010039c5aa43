// Heat maps for the terminal.
#pragma once

#include <string>

#include "attend/render/attention_map.h"
#include "attend/render/colour.h"
#include "attend/render/value_scale.h"

namespace attend::render {

enum class TerminalColour {
  kTrueColour,  ///< 24 bits
  k256,         ///< the 256 colours of xterm
  kAscii,  ///< no escape sequence: a ramp " ':*oO#@" beside the numbers; on a diverging scale it
           ///< tells the size
};

struct TerminalOptions {
  int width = 80;  ///< columns; no line is longer (20 at least)
  TerminalColour colour = TerminalColour::kTrueColour;
  Background background = Background::kDark;  ///< of the terminal: zero looks like it
  Scaling scaling = Scaling::kUnit;
  std::string quantity = "weight";  ///< what the numbers are, with their unit: named at the scale
};

/// The map as lines that end in LF. Rows are queries, columns keys; column labels stand in steps
/// above their columns or, where that would be too tall, as numbers with a legend below. Numbers
/// stand in the cells as far as they fit; a panel that is too wide continues below; panels stand
/// side by side as far as they fit; a scale with its numbers ends the picture. Every line resets
/// its colours. Control characters in labels are shown, not sent; long labels and texts are cut.
/// Throws InvalidArgument for an unsound map.
std::string map_to_terminal(const AttentionMap& map, const TerminalOptions& options = {});

}  // namespace attend::render
