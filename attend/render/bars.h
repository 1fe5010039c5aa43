// Bar charts: a few named numbers, or a few for each of several series.
#pragma once

#include <string>
#include <vector>

#include "attend/render/curves.h"

namespace attend::render {

struct BarSeries {
  std::string name;            ///< for the legend; may be empty where there is one series
  std::vector<double> values;  ///< one a name; not finite: no bar, marked "?"
};

struct Bars {
  std::string title;
  std::string value_axis;          ///< with its unit: "BLEU", "time (ms)"
  std::vector<std::string> names;  ///< one a group of bars, from the top down
  std::vector<BarSeries> series;   ///< bars of a group, one below the other
};

/// Horizontal bars from 0, each with its number. `height` of the options is not used: it follows
/// from the number of bars. Throws InvalidArgument when a series has not as many values as names.
std::string bars_to_svg(const Bars& bars, const CurveSvgOptions& options = {});

/// The same in block characters or, in ASCII, in letters.
std::string bars_to_terminal(const Bars& bars, const CurveTerminalOptions& options = {});

}  // namespace attend::render
