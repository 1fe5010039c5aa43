// Which labels of a matrix's axis are drawn, and where.
#pragma once

#include <string>
#include <vector>

namespace attend::render {

struct AxisTick {
  double place = 0;  ///< in cells from the edge: 0.5 is the middle of the first
  std::string label;
};

/// True when the labels are numbers that never fall or never rise, two different ones at least: an
/// axis of a quantity, which round numbers describe better than every n-th label.
bool is_numeric(const std::vector<std::string>& labels);

/// Every `step`-th label in the middle of its cell or, where step > 1 and the axis is numeric,
/// about `most` round numbers at the places between the cells that they belong to.
std::vector<AxisTick> axis_ticks(const std::vector<std::string>& labels, int step, int most);

}  // namespace attend::render
