#include "attend/render/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/errors.h"
#include "attend/render/escape.h"
#include "attend/render/terminal_line.h"
#include "attend/render/text_metrics.h"
#include "attend/render/ticks.h"
#include "attend/render/value_scale.h"

namespace attend::render {
namespace {

constexpr double kMargin = 16;
constexpr double kFont = 12;
constexpr double kBar = 15;
constexpr double kGroupGap = 9;

struct Range {
  double low = 0, high = 0;
};

Range range_of(const Bars& bars) {
  Range range;
  for (const BarSeries& series : bars.series) {
    if (series.values.size() != bars.names.size())
      throw InvalidArgument("[bars] expected " + std::to_string(bars.names.size()) +
                            " values in series \"" + series.name + "\", found " +
                            std::to_string(series.values.size()));
    for (const double value : series.values) {
      if (!std::isfinite(value)) continue;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  if (!(range.high > range.low)) range.high = range.low + 1;
  return range;
}

// From 10 on one decimal: more says nothing beside a bar.
std::string number(double value) {
  if (!std::isfinite(value)) return "?";
  return std::abs(value) < 10 ? format_weight(value) : fmt::format("{:.1f}", value);
}

class BarDrawing {
 public:
  BarDrawing(const Bars& bars, const CurveSvgOptions& options)
      : bars_(bars), range_(range_of(bars)), svg_(options.theme) {
    width_ = std::max(options.width, 300.0);
    double names = 0;
    for (const std::string& name : bars.names) names = std::max(names, kFont * text_width_em(name));
    left_ = kMargin + std::min(names, width_ / 2) + 8;
    right_ = width_ - kMargin - 60;  // room for a number at the longest bar
    if (range_.low < 0) left_ += 60;
  }

  std::string draw() {
    draw_heading();
    const double top = y_;
    const double rows = static_cast<double>(bars_.names.size()) *
                        (kBar * static_cast<double>(bars_.series.size()) + kGroupGap);
    draw_axis(top, top + rows);
    for (size_t i = 0; i < bars_.names.size(); ++i) draw_group(i);
    svg_.line(x(0), top, x(0), y_, "edge");
    y_ += 18 + (bars_.value_axis.empty() ? 0 : 18);
    svg_.style(".edge", "stroke:#59616b;stroke-width:1", "stroke:#a3abb5;stroke-width:1");
    for (size_t s = 0; s < bars_.series.size(); ++s)
      svg_.style(".m" + std::to_string(s), "fill:" + hex(series_colour(s, Background::kLight)),
                 "fill:" + hex(series_colour(s, Background::kDark)));
    return svg_.document(width_, y_ + kMargin, bars_.title.empty() ? "bar chart" : bars_.title);
  }

 private:
  double x(double value) const {
    return left_ + (right_ - left_) * (value - range_.low) / (range_.high - range_.low);
  }

  void rect(double at_x, double at_y, double wide, double high, size_t series,
            const std::string& title) {
    svg_.raw("<rect x=\"" + svg_number(at_x) + "\" y=\"" + svg_number(at_y) + "\" width=\"" +
             svg_number(wide) + "\" height=\"" + svg_number(high) + "\" class=\"m" +
             std::to_string(series) + "\"><title>" + escape_xml(title) + "</title></rect>\n");
  }

  void draw_heading() {
    if (!bars_.title.empty()) {
      for (const std::string& line : wrap_text(bars_.title, 16, width_ - 2 * kMargin)) {
        y_ += 20;
        svg_.text(kMargin, y_ - 4, line, {16, "ink", "start", 0, true});
      }
    }
    if (bars_.series.size() > 1) {
      double at = kMargin;
      y_ += 18;
      for (size_t s = 0; s < bars_.series.size(); ++s) {
        const double wide = 34 + kFont * text_width_em(bars_.series[s].name);
        if (at > kMargin && at + wide > width_ - kMargin) at = kMargin, y_ += 18;
        rect(at, y_ - 10, 12, 12, s, bars_.series[s].name);
        svg_.text(at + 18, y_, printable(bars_.series[s].name), {kFont, "ink"});
        at += wide;
      }
    }
    y_ += 10;
  }

  void draw_axis(double top, double bottom) {
    const std::vector<double> ticks = nice_ticks(range_.low, range_.high, 5);
    const std::vector<std::string> labels = tick_labels(ticks);
    for (size_t i = 0; i < ticks.size(); ++i) {
      svg_.line(x(ticks[i]), top, x(ticks[i]), bottom, "rule");
      svg_.text(x(ticks[i]), bottom + 16, labels[i], {kFont, "ink", "middle"});
    }
    if (!bars_.value_axis.empty())
      svg_.text((left_ + right_) / 2, bottom + 34, bars_.value_axis, {kFont, "dim", "middle"});
  }

  void draw_group(size_t i) {
    y_ += kGroupGap / 2;
    const double high = kBar * static_cast<double>(bars_.series.size());
    svg_.text(left_ - (range_.low < 0 ? 68 : 8), y_ + high / 2 + kFont * 0.34,
              cut_to_width(bars_.names[i], 60), {kFont, "ink", "end"});
    for (size_t s = 0; s < bars_.series.size(); ++s) {
      const double value = bars_.series[s].values[i];
      const bool finite = std::isfinite(value);
      const double from = x(0), to = x(finite ? value : 0);
      const std::string& series = bars_.series[s].name;
      rect(std::min(from, to), y_ + 1, std::abs(to - from), kBar - 2, s,
           bars_.names[i] + (series.empty() ? "" : ", " + series) + ": " + number(value));
      svg_.text(to + (to < from ? -5 : 5), y_ + kBar / 2 + 4, number(value),
                {11, "ink", to < from ? "end" : "start"});
      y_ += kBar;
    }
    y_ += kGroupGap / 2;
  }

  const Bars& bars_;
  const Range range_;
  SvgWriter svg_;
  double width_ = 0, left_ = 0, right_ = 0;
  double y_ = kMargin;
};

/// Eighths of a character, so that near lengths differ.
std::string blocks(double columns) {
  constexpr const char* kPart[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(columns * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + kPart[eighths % 8];
}

}  // namespace

std::string bars_to_svg(const Bars& bars, const CurveSvgOptions& options) {
  return BarDrawing(bars, options).draw();
}

std::string bars_to_terminal(const Bars& bars, const CurveTerminalOptions& options) {
  const Range range = range_of(bars);
  const int width = std::max(options.width, 30);
  const bool ascii = options.colour == TerminalColour::kAscii;
  int names = 1;
  for (const std::string& name : bars.names) names = std::max(names, display_width(name));
  names = std::min(names, width / 3);
  std::vector<TerminalLine> out;
  const auto add_text = [&](const std::string& text) {
    if (text.empty()) return;
    for (TerminalLine& line : wrapped(text, width, options.colour)) out.push_back(std::move(line));
  };
  add_text(bars.title);
  const double largest = std::max(range.high, -range.low);
  const int room = std::max(width - names - 11, 4);
  for (size_t i = 0; i < bars.names.size(); ++i) {
    for (size_t s = 0; s < bars.series.size(); ++s) {
      const double value = bars.series[s].values[i];
      const double columns = std::isfinite(value) ? std::abs(value) / largest * room : 0;
      TerminalLine line(options.colour);
      line.add(pad_left(s == 0 ? bars.names[i] : "", names, ascii ? "~" : "…")).add(" ");
      const Rgb colour = series_colour(s, options.background);
      const std::string bar =
          ascii ? std::string(static_cast<size_t>(std::lround(columns)), "ox+*#%@&"[s % 8])
                : blocks(columns);
      line.add_in(colour, bar).add(bar.empty() ? "" : " ").add(number(value));
      out.push_back(line);
    }
  }
  TerminalLine legend(options.colour);
  for (size_t s = 0; s < bars.series.size() && bars.series.size() > 1; ++s) {
    if (legend.width() + display_width(bars.series[s].name) + 6 > width) {
      out.push_back(legend);
      legend = TerminalLine(options.colour);
    }
    if (s > 0) legend.add("   ");
    legend
        .add_in(series_colour(s, options.background),
                ascii ? std::string(1, "ox+*#%@&"[s % 8]) : "██")
        .add(" ")
        .add(cut_to_width(bars.series[s].name, std::max(width - 6, 4), ascii ? "~" : "…"));
  }
  if (legend.width() > 0) out.push_back(legend);
  add_text(bars.value_axis);
  return join(out);
}

}  // namespace attend::render
