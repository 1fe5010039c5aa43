#include <algorithm>
#include <cmath>

#include "attend/render/diagram_grid.h"
#include "attend/render/escape.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

constexpr double kMargin = 16;
constexpr double kFont = 13;
constexpr double kLine = 17;
constexpr double kLabel = 11;  // font of an arrow's label
constexpr double kColumnGap = 56;
constexpr double kRowGap = 36;
constexpr double kHead = 8;    // of an arrow
constexpr double kLane = 26;   // beside a column with arrows past its boxes
constexpr double kCorner = 6;  // radius of a bend

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double middle_x() const { return x + width / 2; }
  double middle_y() const { return y + height / 2; }
};

class DiagramDrawing {
 public:
  DiagramDrawing(const Diagram& diagram, Theme theme)
      : diagram_(diagram), grid_(diagram_grid(diagram)), svg_(theme) {}

  std::string draw() {
    place();
    for (size_t i = 0; i < grid_.arrows.size(); ++i) draw_arrow(i);
    for (size_t i = 0; i < diagram_.boxes.size(); ++i) draw_box(i);
    svg_.style(".box", "fill:#f5f6f8;stroke:#59616b;stroke-width:1.2",
               "fill:#1d2127;stroke:#a3abb5;stroke-width:1.2");
    svg_.style(".focus", "fill:#fbe3d3;stroke:#b0441a;stroke-width:1.6",
               "fill:#4a2413;stroke:#ffa066;stroke-width:1.6");
    svg_.style(".arrow", "fill:none;stroke:#59616b;stroke-width:1.4",
               "fill:none;stroke:#a3abb5;stroke-width:1.4");
    svg_.style(".head", "fill:#59616b", "fill:#a3abb5");
    svg_.style(".halo", "stroke:#ffffff;stroke-width:4;paint-order:stroke",
               "stroke:#14171c;stroke-width:4;paint-order:stroke");
    return svg_.document(width_, height_, diagram_.title.empty() ? "diagram" : diagram_.title);
  }

 private:
  void place() {
    std::vector<double> widths(grid_.columns, 60), heights(grid_.rows, 0);
    for (size_t i = 0; i < diagram_.boxes.size(); ++i) {
      const auto c = static_cast<size_t>(diagram_.boxes[i].column);
      const auto r = static_cast<size_t>(diagram_.boxes[i].row);
      for (const std::string& line : grid_.lines[i])
        widths[c] = std::max(widths[c], kFont * text_width_em(line) + 24);
      heights[r] = std::max(heights[r], kLine * static_cast<double>(grid_.lines[i].size()) + 16);
    }
    std::vector<double> gaps(grid_.columns, kColumnGap);  // each column's right one
    for (size_t i = 0; i < grid_.arrows.size(); ++i) {
      const DiagramBox& a = diagram_.boxes[grid_.arrows[i].first];
      const DiagramBox& b = diagram_.boxes[grid_.arrows[i].second];
      if (std::abs(a.column - b.column) != 1) continue;
      double& gap = gaps[static_cast<size_t>(std::min(a.column, b.column))];
      gap = std::max(gap, kLabel * text_width_em(diagram_.arrows[i].label) + 2 * kHead + 8);
    }
    if (!gaps.empty()) gaps.back() = 0;
    for (size_t c = 1; c < gaps.size(); ++c) gaps[c] += grid_.has_bypass[c] ? kLane : 0;
    const double left = kMargin + (grid_.columns > 0 && grid_.has_bypass[0] ? kLane : 0);
    double total = left + kMargin;
    for (size_t c = 0; c < widths.size(); ++c) total += widths[c] + gaps[c];
    width_ = std::max(total, 300.0);
    double y = kMargin;
    if (!diagram_.title.empty()) {
      for (const std::string& line : wrap_text(diagram_.title, 16, width_ - 2 * kMargin)) {
        y += 20;
        svg_.text(kMargin, y - 4, line, {16, "ink", "start", 0, true});
      }
      y += 10;
    }
    std::vector<double> lefts{left}, tops{y};
    for (size_t c = 0; c < widths.size(); ++c) lefts.push_back(lefts.back() + widths[c] + gaps[c]);
    for (const double height : heights) tops.push_back(tops.back() + height + kRowGap);
    height_ = tops.back() - kRowGap + kMargin;
    for (size_t i = 0; i < diagram_.boxes.size(); ++i) {
      const auto c = static_cast<size_t>(diagram_.boxes[i].column);
      const auto r = static_cast<size_t>(diagram_.boxes[i].row);
      const double own = kLine * static_cast<double>(grid_.lines[i].size()) + 16;
      boxes_.push_back({lefts[c], tops[r] + (heights[r] - own) / 2, widths[c], own});
    }
  }

  void draw_box(size_t i) {
    const Rect& box = boxes_[i];
    const DiagramBox::Kind kind = diagram_.boxes[i].kind;
    if (kind != DiagramBox::Kind::kData)
      svg_.raw("<rect x=\"" + svg_number(box.x) + "\" y=\"" + svg_number(box.y) + "\" width=\"" +
               svg_number(box.width) + "\" height=\"" + svg_number(box.height) +
               "\" rx=\"6\" class=\"" + (kind == DiagramBox::Kind::kFocus ? "focus" : "box") +
               "\"/>\n");
    for (size_t k = 0; k < grid_.lines[i].size(); ++k)
      svg_.text(box.middle_x(), box.y + 8 + kLine * (static_cast<double>(k) + 0.76),
                grid_.lines[i][k], {kFont, k < grid_.text_lines[i] ? "ink" : "dim", "middle"});
  }

  void draw_arrow(size_t i) {
    const Rect& from = boxes_[grid_.arrows[i].first];
    const Rect& to = boxes_[grid_.arrows[i].second];
    const std::string& label = diagram_.arrows[i].label;
    switch (grid_.routes[i]) {
      case ArrowRoute::kElbow:
        return draw_elbow(from, to, label);
      case ArrowRoute::kBack:
        return draw_back(from, to, label);
      case ArrowRoute::kBypass:
        return draw_bypass(from, to, diagram_.boxes[grid_.arrows[i].first].column == 0, label);
      default:
        return draw_line(from, to, label);
    }
  }

  void draw_line(const Rect& from, const Rect& to, const std::string& label) {
    double x1 = from.middle_x(), y1 = from.middle_y(), x2 = to.middle_x(), y2 = to.middle_y();
    const bool is_level = std::abs(y1 - y2) < (from.height + to.height) / 2;
    if (is_level) {  // from side to side
      x1 = x2 > x1 ? from.x + from.width : from.x;
      x2 = x2 > x1 ? to.x : to.x + to.width;
    } else {
      y1 = y2 > y1 ? from.y + from.height : from.y;
      y2 = y2 > y1 ? to.y : to.y + to.height;
    }
    const double length = std::max(std::hypot(x2 - x1, y2 - y1), 1e-6);
    const double ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    svg_.line(x1, y1, x2 - ux * kHead, y2 - uy * kHead, "arrow");
    draw_head(x2, y2, ux, uy);
    if (label.empty()) return;
    const bool above = is_level;
    svg_.text((x1 + x2) / 2 + (above ? 0 : 6), (y1 + y2) / 2 + (above ? -6 : 4), label,
              {kLabel, "dim halo", above ? "middle" : "start"});
  }

  void draw_head(double x, double y, double ux, double uy) {
    svg_.raw("<path class=\"head\" d=\"M" + svg_number(x) + " " + svg_number(y) + "L" +
             svg_number(x - ux * kHead - uy * 4) + " " + svg_number(y - uy * kHead + ux * 4) + "L" +
             svg_number(x - ux * kHead + uy * 4) + " " + svg_number(y - uy * kHead - ux * 4) +
             "z\"/>\n");
  }

  struct Point {
    double x, y;
  };

  /// A line through the corners, which are rounded, with the arrow's head at the last.
  void draw_way(const std::vector<Point>& corners) {
    std::string path = "M" + place(corners[0]);
    for (size_t i = 1; i + 1 < corners.size(); ++i)
      path += "L" + place(toward(corners[i], corners[i - 1], kCorner)) + "Q" + place(corners[i]) +
              " " + place(toward(corners[i], corners[i + 1], kCorner));
    const Point &end = corners.back(), &before = corners[corners.size() - 2];
    path += "L" + place(toward(end, before, kHead));
    svg_.raw("<path class=\"arrow\" d=\"" + path + "\"/>\n");
    const double length = std::max(std::hypot(end.x - before.x, end.y - before.y), 1e-6);
    draw_head(end.x, end.y, (end.x - before.x) / length, (end.y - before.y) / length);
  }

  static std::string place(const Point& at) { return svg_number(at.x) + " " + svg_number(at.y); }

  /// `step` from one point to another, at most half of the way.
  static Point toward(const Point& from, const Point& to, double step) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double t = length > 0 ? std::min(step / length, 0.5) : 0;
    return {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
  }

  void draw_elbow(const Rect& from, const Rect& to, const std::string& label) {
    const double turn = to.x - kColumnGap / 2, y1 = from.middle_y(), y2 = to.middle_y();
    const double side = from.x + from.width;
    draw_way({{side, y1}, {turn, y1}, {turn, y2}, {to.x, y2}});
    if (!label.empty()) svg_.text(side + 4, y1 - 6, label, {kLabel, "dim halo"});
  }

  void draw_back(const Rect& from, const Rect& to, const std::string& label) {
    const double x = to.middle_x(), y = from.middle_y();
    draw_way({{from.x, y}, {x, y}, {x, to.y + to.height}});
    if (!label.empty()) svg_.text(from.x - 6, y - 6, label, {kLabel, "dim halo", "end"});
  }

  void draw_bypass(const Rect& from, const Rect& to, bool is_left, const std::string& label) {
    const double side = is_left ? from.x : from.x + from.width;
    const double lane = is_left ? side - kLane + 8 : side + kLane - 8;
    const double y1 = from.y + from.height - kLine / 2 - 6, y2 = to.y + kLine / 2 + 6;
    draw_way({{side, y1}, {lane, y1}, {lane, y2}, {side, y2}});
    if (!label.empty()) svg_.text(lane, (y1 + y2) / 2, label, {kLabel, "dim halo", "middle", -90});
  }

  const Diagram& diagram_;
  const DiagramGrid grid_;
  SvgWriter svg_;
  std::vector<Rect> boxes_;
  double width_ = 0, height_ = 0;
};

}  // namespace

std::string diagram_to_svg(const Diagram& diagram, Theme theme) {
  return DiagramDrawing(diagram, theme).draw();
}

}  // namespace attend::render
