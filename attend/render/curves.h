// Line plots and points: the loss over the epochs, say, or measurements beside a fit.
#pragma once

#include <string>
#include <vector>

#include "attend/render/colour.h"
#include "attend/render/svg_writer.h"
#include "attend/render/terminal.h"

namespace attend::render {

/// A named line through (x[i], y[i]). Points that are not finite (or, on a logarithmic axis, not
/// positive) interrupt it.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  bool points = false;  ///< draw each point and no line: measurements
};

/// A level to compare with, drawn dashed from side to side.
struct ReferenceLine {
  std::string name;
  double y = 0;
};

struct Curves {
  std::string title = {};
  std::string x_axis;  ///< with its unit: "epoch", "time (s)"
  std::string y_axis;  ///< "loss (nats per token)"
  bool log_y = false;  ///< logarithmic y; lines keep their shape over decades
  bool log_x = false;  ///< logarithmic x
  std::vector<Series> series = {};
  std::vector<ReferenceLine> references = {};
};

struct CurveSvgOptions {
  double width = 760;   ///< pixels, 300 at least
  double height = 440;  ///< pixels, 200 at least
  Theme theme = Theme::kAuto;
};

/// Axes with round numbers, faint rules, a legend. Lines differ by colour and by dashes,
/// points by colour and shape. Throws
/// InvalidArgument when a series has not as many x as y.
std::string curves_to_svg(const Curves& curves, const CurveSvgOptions& options = {});

struct CurveTerminalOptions {
  int width = 80;   ///< columns, 30 at least
  int height = 18;  ///< lines of the plot itself, 4 at least
  TerminalColour colour = TerminalColour::kTrueColour;
  Background background = Background::kDark;
};

/// The same in braille dots (2 x 4 a character) or, in ASCII, with a letter a series.
std::string curves_to_terminal(const Curves& curves, const CurveTerminalOptions& options = {});

}  // namespace attend::render
