#include "attend/render/curve_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/core/errors.h"
#include "attend/render/ticks.h"

namespace attend::render {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

/// A range of one value gets some room on both sides.
Range widened(Range range, bool log) {
  if (range.empty()) return {log ? 0.1 : 0.0, 1.0};
  if (range.high > range.low) return range;
  if (log) return {range.low / 2, range.high * 2};
  const double room = range.low == 0 ? 1 : std::abs(range.low) * 0.5;
  return {range.low - room, range.high + room};
}

CurveAxis make_axis(Range range, bool log, double margin) {
  CurveAxis axis;
  axis.log = log;
  range = widened(range, log);
  if (log) {
    const double room = std::pow(range.high / range.low, margin);
    axis.low = range.low / room;
    axis.high = range.high * room;
    axis.ticks = log_ticks(axis.low, axis.high);
  } else {
    const double room = margin * (range.high - range.low);
    // A loss that nears zero is seen against zero.
    const bool reaches_zero = margin > 0 && range.low >= 0 && range.low < 0.25 * range.high;
    axis.low = reaches_zero ? 0 : range.low - room;
    axis.high = range.high + room;
    axis.ticks = nice_ticks(axis.low, axis.high, 6);
  }
  axis.labels = tick_labels(axis.ticks);
  return axis;
}

}  // namespace

bool CurveAxis::shows(double value) const { return std::isfinite(value) && (!log || value > 0); }

double CurveAxis::fraction(double value) const {
  return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

CurveAxes curve_axes(const Curves& curves) {
  CurveAxes axes;
  axes.x.log = curves.log_x;
  axes.y.log = curves.log_y;
  Range x;
  Range y;
  for (const Series& series : curves.series) {
    if (series.x.size() != series.y.size())
      throw InvalidArgument("[curves] expected as many x as y in series \"" + series.name +
                            "\", found " + std::to_string(series.x.size()) + " and " +
                            std::to_string(series.y.size()));
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!axes.x.shows(series.x[i]) || !axes.y.shows(series.y[i])) continue;
      x.include(series.x[i]);
      y.include(series.y[i]);
    }
  }
  axes.empty = x.empty();
  for (const ReferenceLine& line : curves.references)
    if (axes.y.shows(line.y)) y.include(line.y);
  axes.x = make_axis(x, curves.log_x, 0);
  axes.y = make_axis(y, curves.log_y, 0.05);
  return axes;
}

}  // namespace attend::render
