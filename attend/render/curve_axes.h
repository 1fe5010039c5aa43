// The ranges and round numbers of a line plot, shared by its drawings.
#pragma once

#include <string>
#include <vector>

#include "attend/render/curves.h"

namespace attend::render {

struct CurveAxis {
  double low = 0;
  double high = 1;
  bool log = false;
  std::vector<double> ticks;
  std::vector<std::string> labels;

  /// Whether the value can be drawn at all.
  bool shows(double value) const;
  /// 0 at `low`, 1 at `high`.
  double fraction(double value) const;
};

struct CurveAxes {
  CurveAxis x;
  CurveAxis y;
  bool empty = true;  ///< there is no point to draw
};

/// Throws InvalidArgument when a series has not as many x as y.
CurveAxes curve_axes(const Curves& curves);

}  // namespace attend::render
