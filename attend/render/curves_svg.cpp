#include <algorithm>
#include <cmath>

#include "attend/render/curve_axes.h"
#include "attend/render/curves.h"
#include "attend/render/escape.h"
#include "attend/render/text_metrics.h"
#include "attend/render/value_scale.h"

namespace attend::render {
namespace {

constexpr const char* kDashes[] = {"", "7 3", "2 3", "9 3 2 3"};
constexpr const char* kMarkers[] = {"", "M-3-3h6v6h-6z", "M0-4L4 3H-4z",
                                    "M0-4.5L4.5 0L0 4.5L-4.5 0z"};
constexpr size_t kMostMarkedPoints = 30;
constexpr double kMargin = 16;
constexpr double kFont = 12;

class CurveDrawing {
 public:
  CurveDrawing(const Curves& curves, const CurveSvgOptions& options)
      : curves_(curves),
        axes_(curve_axes(curves)),
        svg_(options.theme),
        width_(std::max(options.width, 300.0)),
        height_(std::max(options.height, 200.0)) {}

  std::string draw() {
    draw_heading();
    draw_legend();
    place_axes();
    draw_axes();
    for (const ReferenceLine& line : curves_.references)
      if (axes_.y.shows(line.y)) svg_.line(left_, y(line.y), right_, y(line.y), "ref");
    for (size_t i = 0; i < curves_.series.size(); ++i) draw_series(i);
    if (axes_.empty)
      svg_.text((left_ + right_) / 2, (top_ + bottom_) / 2, "no points yet", {13, "dim", "middle"});
    write_styles();
    return svg_.document(width_, height_, curves_.title.empty() ? "line plot" : curves_.title);
  }

 private:
  double x(double value) const { return left_ + (right_ - left_) * axes_.x.fraction(value); }
  double y(double value) const { return bottom_ - (bottom_ - top_) * axes_.y.fraction(value); }

  void draw_heading() {
    if (curves_.title.empty()) return;
    for (const std::string& line : wrap_text(curves_.title, 16, width_ - 2 * kMargin)) {
      top_ += 20;
      svg_.text(kMargin, top_ - 4, line, {16, "ink", "start", 0, true});
    }
  }

  /// Entries in a line, on as many lines as they need.
  void draw_legend() {
    double at = kMargin;
    top_ += 18;
    const auto entry = [&](const std::string& name, const std::string& css) {
      const double wide = 46 + kFont * text_width_em(name);
      if (at > kMargin && at + wide > width_ - kMargin) {
        at = kMargin;
        top_ += 18;
      }
      if (css[0] == 'm')
        svg_.raw(marker(css, at + 13, top_ - 4, "") + "\n");
      else
        svg_.line(at, top_ - 4, at + 26, top_ - 4, css.c_str());
      svg_.text(at + 32, top_, printable(name), {kFont, "ink"});
      at += wide;
    };
    for (size_t i = 0; i < curves_.series.size(); ++i)
      if (!curves_.series[i].name.empty())
        entry(curves_.series[i].name, (curves_.series[i].points ? "m" : "s") + std::to_string(i));
    for (const ReferenceLine& line : curves_.references)
      entry(line.name + " (" + format_weight(line.y) + ")", "ref");
  }

  void place_axes() {
    double labels = 0;
    for (const std::string& label : axes_.y.labels)
      labels = std::max(labels, kFont * text_width_em(label));
    if (!curves_.y_axis.empty()) {
      top_ += 24;
      svg_.text(kMargin, top_, curves_.y_axis, {kFont, "dim"});
    }
    top_ += 12;
    left_ = kMargin + labels + 8;
    right_ = width_ - kMargin - 12;
    bottom_ = height_ - kMargin - 20 - (curves_.x_axis.empty() ? 0 : 18);
    bottom_ = std::max(bottom_, top_ + 60);
    height_ = std::max(height_, bottom_ + 54);
  }

  void draw_axes() {
    for (size_t i = 0; i < axes_.y.ticks.size(); ++i) {
      const double at = y(axes_.y.ticks[i]);
      svg_.line(left_, at, right_, at, "rule");
      svg_.text(left_ - 8, at + 4, axes_.y.labels[i], {kFont, "ink", "end"});
    }
    svg_.line(left_, bottom_, right_, bottom_, "edge");
    for (size_t i = 0; i < axes_.x.ticks.size() && !axes_.empty; ++i) {
      const double at = x(axes_.x.ticks[i]);
      svg_.line(at, bottom_, at, bottom_ + 5, "edge");
      svg_.text(at, bottom_ + 19, axes_.x.labels[i], {kFont, "ink", "middle"});
    }
    if (!curves_.x_axis.empty())
      svg_.text((left_ + right_) / 2, bottom_ + 38, curves_.x_axis, {kFont, "dim", "middle"});
  }

  /// A line's points are discs; points alone differ by shape too, as lines do by dashes.
  std::string marker(const std::string& css, double at_x, double at_y,
                     const std::string& title) const {
    const size_t number = std::stoul(css.substr(1));
    const std::string end = title.empty() ? "/>" : "><title>" + escape_xml(title) + "</title>";
    const char* path = kMarkers[curves_.series[number].points ? number % std::size(kMarkers) : 0];
    if (*path == '\0')
      return "<circle cx=\"" + svg_number(at_x) + "\" cy=\"" + svg_number(at_y) +
             "\" r=\"3\" class=\"" + css + "\"" + end + (title.empty() ? "" : "</circle>");
    return "<path transform=\"translate(" + svg_number(at_x) + " " + svg_number(at_y) + ")\" d=\"" +
           path + "\" class=\"" + css + "\"" + end + (title.empty() ? "" : "</path>");
  }

  void draw_series(size_t number) {
    const Series& series = curves_.series[number];
    const std::string css = "s" + std::to_string(number);
    std::string path;
    std::string marks;
    size_t points = 0;
    bool begins = true;
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!axes_.x.shows(series.x[i]) || !axes_.y.shows(series.y[i])) {
        begins = true;
        continue;
      }
      const std::string px = svg_number(x(series.x[i]));
      const std::string py = svg_number(y(series.y[i]));
      path += (begins ? "M" : "L") + px + " " + py;
      marks += marker("m" + std::to_string(number), x(series.x[i]), y(series.y[i]),
                      series.name + ": " + format_weight(series.y[i])) +
               "\n";
      begins = false;
      ++points;
    }
    if (points == 0) return;
    if (series.points) return svg_.raw(marks);
    svg_.raw("<path d=\"" + path + "\" class=\"" + css + "\"><title>" + escape_xml(series.name) +
             "</title></path>\n");
    // A line needs two points to be seen; few points are worth seeing each.
    if (points <= kMostMarkedPoints) svg_.raw(marks);
  }

  void write_styles() {
    const auto stroke = [](Rgb colour, const std::string& dashes) {
      return "fill:none;stroke:" + hex(colour) + ";stroke-width:2;stroke-linejoin:round" +
             (dashes.empty() ? "" : ";stroke-dasharray:" + dashes);
    };
    for (size_t i = 0; i < curves_.series.size(); ++i) {
      const std::string dashes = kDashes[i % std::size(kDashes)];
      const Rgb light = series_colour(i, Background::kLight);
      const Rgb dark = series_colour(i, Background::kDark);
      svg_.style(".s" + std::to_string(i), stroke(light, dashes), stroke(dark, dashes));
      svg_.style(".m" + std::to_string(i), "fill:" + hex(light), "fill:" + hex(dark));
    }
    svg_.style(".ref", "stroke:#59616b;stroke-width:1.5;stroke-dasharray:3 4",
               "stroke:#a3abb5;stroke-width:1.5;stroke-dasharray:3 4");
    svg_.style(".edge", "stroke:#59616b;stroke-width:1", "stroke:#a3abb5;stroke-width:1");
  }

  const Curves& curves_;
  const CurveAxes axes_;
  SvgWriter svg_;
  double width_;
  double height_;
  double left_ = 0, right_ = 0, bottom_ = 0;
  double top_ = kMargin;
};

}  // namespace

std::string curves_to_svg(const Curves& curves, const CurveSvgOptions& options) {
  return CurveDrawing(curves, options).draw();
}

}  // namespace attend::render
