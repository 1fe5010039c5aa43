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
constexpr double kHead = 8;  // of an arrow

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
    double total = 2 * kMargin;
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
    std::vector<double> lefts{kMargin}, tops{y};
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
    if (is_elbow(grid_.arrows[i].first, grid_.arrows[i].second)) return draw_elbow(from, to);
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
    if (diagram_.arrows[i].label.empty()) return;
    const bool above = is_level;
    svg_.text((x1 + x2) / 2 + (above ? 0 : 6), (y1 + y2) / 2 + (above ? -6 : 4),
              diagram_.arrows[i].label, {kLabel, "dim halo", above ? "middle" : "start"});
  }

  void draw_head(double x, double y, double ux, double uy) {
    svg_.raw("<path class=\"head\" d=\"M" + svg_number(x) + " " + svg_number(y) + "L" +
             svg_number(x - ux * kHead - uy * 4) + " " + svg_number(y - uy * kHead + ux * 4) + "L" +
             svg_number(x - ux * kHead + uy * 4) + " " + svg_number(y - uy * kHead - ux * 4) +
             "z\"/>\n");
  }

  /// A straight line would cross the boxes between.
  bool is_elbow(size_t from, size_t to) const {
    const DiagramBox &a = diagram_.boxes[from], &b = diagram_.boxes[to];
    return b.column == a.column + 1 && std::abs(a.row - b.row) > 1;
  }

  void draw_elbow(const Rect& from, const Rect& to) {
    const double turn = to.x - kColumnGap / 2, y1 = from.middle_y(), y2 = to.middle_y();
    svg_.line(from.x + from.width, y1, turn, y1, "arrow");
    svg_.line(turn, y1, turn, y2, "arrow");
    svg_.line(turn, y2, to.x - kHead, y2, "arrow");
    draw_head(to.x, y2, 1, 0);
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
