#include <algorithm>
#include <numeric>

#include "attend/render/diagram_grid.h"
#include "attend/render/terminal_line.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

constexpr int kColumnGap = 5;
constexpr int kRowGap = 2;
constexpr int kLane = 3;  // beside a column with arrows past its boxes

struct Frame {
  const char *across, *down, *top_left, *top_right, *bottom_left, *bottom_right;
  const char *to_right, *to_left, *to_bottom, *to_top;
};
constexpr Frame kLight = {"─", "│", "┌", "┐", "└", "┘", "▶", "◀", "▼", "▲"};
constexpr Frame kHeavy = {"━", "┃", "┏", "┓", "┗", "┛", "▶", "◀", "▼", "▲"};
constexpr Frame kPlain = {"-", "|", "+", "+", "+", "+", ">", "<", "v", "^"};

// Where a line goes on to from a cell, and the sign for each sum of these.
constexpr unsigned kLeft = 1, kRight = 2, kUp = 4, kDown = 8;
constexpr const char* kLines[] = {" ", "─", "─", "─", "│", "┘", "└", "┴",
                                  "│", "┐", "┌", "┬", "│", "┤", "├", "┼"};
constexpr const char* kPlainLines[] = {" ", "-", "-", "-", "|", "+", "+", "+",
                                       "|", "+", "+", "+", "|", "+", "+", "+"};

struct Cell {
  int x, y;
};

class DiagramPrinter {
 public:
  DiagramPrinter(const Diagram& diagram, const CurveTerminalOptions& options)
      : diagram_(diagram), options_(options), grid_(diagram_grid(diagram)) {}

  std::string draw() {
    place();
    for (size_t i = 0; i < diagram_.boxes.size(); ++i) draw_box(i);
    std::vector<std::string> list;
    for (size_t i = 0; i < grid_.arrows.size(); ++i)
      if (!draw_arrow(i)) list.push_back(listed(i));
    draw_lines();
    std::vector<TerminalLine> out;
    if (!diagram_.title.empty())
      for (TerminalLine& line : wrapped(diagram_.title, options_.width, options_.colour))
        out.push_back(std::move(line));
    for (const auto& row : canvas_) {
      TerminalLine line(options_.colour);
      line.add(std::accumulate(row.begin(), row.end(), std::string()));
      out.push_back(line);
    }
    for (const std::string& arrow : list)
      for (TerminalLine& line : wrapped(arrow, options_.width - 2, options_.colour)) {
        TerminalLine indented(options_.colour);
        indented.add("  ").add(line.text());
        out.push_back(std::move(indented));
      }
    return join(out);
  }

 private:
  bool is_ascii() const { return options_.colour == TerminalColour::kAscii; }
  const Frame& frame(bool focus) const { return is_ascii() ? kPlain : focus ? kHeavy : kLight; }

  void place() {
    std::vector<int> widths(grid_.columns, 3), heights(grid_.rows, 1);
    for (size_t i = 0; i < diagram_.boxes.size(); ++i) {
      int& width = widths[static_cast<size_t>(diagram_.boxes[i].column)];
      int& height = heights[static_cast<size_t>(diagram_.boxes[i].row)];
      for (const std::string& line : grid_.lines[i])
        width = std::max(width, display_width(line) + 4);
      height = std::max(height, static_cast<int>(grid_.lines[i].size()) + 2);
    }
    widths_ = widths;
    const auto lane = [&](size_t column) { return grid_.has_bypass[column] ? kLane : 0; };
    lefts_ = {grid_.columns > 0 ? lane(0) : 0}, tops_ = {0};
    for (size_t c = 0; c < widths.size(); ++c)
      lefts_.push_back(lefts_.back() + widths[c] + kColumnGap + (c > 0 ? lane(c) : 0));
    for (const int height : heights) tops_.push_back(tops_.back() + height + kRowGap);
    const auto high = static_cast<size_t>(std::max(tops_.back() - kRowGap, 0));
    const auto wide = static_cast<size_t>(lefts_.back());
    canvas_.assign(high, std::vector<std::string>(wide, " "));
    lines_.assign(high, std::vector<unsigned>(wide, 0));
  }

  int left(size_t i) const { return lefts_[static_cast<size_t>(diagram_.boxes[i].column)]; }
  int width(size_t i) const { return widths_[static_cast<size_t>(diagram_.boxes[i].column)]; }
  int top(size_t i) const { return tops_[static_cast<size_t>(diagram_.boxes[i].row)]; }
  int height(size_t i) const { return static_cast<int>(grid_.lines[i].size()) + 2; }

  /// Text into the canvas; a wide character takes the next cell too.
  void put(int x, int y, const std::string& text) {
    for (const std::string& cluster : graphemes(text)) {
      const int wide = display_width(cluster);
      auto& row = canvas_[static_cast<size_t>(y)];
      if (x < 0 || x + wide > static_cast<int>(row.size())) return;
      row[static_cast<size_t>(x)] = cluster;
      for (int k = 1; k < wide; ++k) row[static_cast<size_t>(x + k)].clear();
      x += wide;
    }
  }

  void draw_box(size_t i) {
    const int x = left(i), y = top(i), wide = width(i), high = height(i);
    const DiagramBox::Kind kind = diagram_.boxes[i].kind;
    if (kind != DiagramBox::Kind::kData) {
      const Frame& f = frame(kind == DiagramBox::Kind::kFocus);
      for (int c = 1; c + 1 < wide; ++c)
        put(x + c, y, f.across), put(x + c, y + high - 1, f.across);
      for (int r = 1; r + 1 < high; ++r) put(x, y + r, f.down), put(x + wide - 1, y + r, f.down);
      put(x, y, f.top_left), put(x + wide - 1, y, f.top_right);
      put(x, y + high - 1, f.bottom_left), put(x + wide - 1, y + high - 1, f.bottom_right);
    }
    for (size_t k = 0; k < grid_.lines[i].size(); ++k) {
      const std::string& line = grid_.lines[i][k];
      put(x + (wide - display_width(line)) / 2, y + 1 + static_cast<int>(k), line);
    }
  }

  /// False for what is to be listed: an arrow that can't be drawn, or a label without a place.
  bool draw_arrow(size_t i) {
    const auto [from, to] = grid_.arrows[i];
    const std::string& label = diagram_.arrows[i].label;
    switch (grid_.routes[i]) {
      case ArrowRoute::kLevel: {
        const bool right = left(to) > left(from);
        const int y = top(from) + 1, start = right ? left(from) + width(from) : left(from) - 1;
        route({{start, y}, {right ? left(to) - 1 : left(to) + width(to), y}});
        return label.empty();
      }
      case ArrowRoute::kStraight: {
        const bool down = top(to) > top(from);
        const int x = left(from) + width(from) / 2;
        const int end = down ? top(to) - 1 : top(to) + height(to);
        route({{x, down ? top(from) + height(from) : top(from) - 1}, {x, end}});
        if (!label.empty()) put(x + 2, down ? end : top(from) - 1, label);
        return true;
      }
      case ArrowRoute::kElbow: {
        const int y1 = top(from) + 1, y2 = top(to) + 1, turn = left(to) - kColumnGap / 2 - 1;
        route({{left(from) + width(from), y1}, {turn, y1}, {turn, y2}, {left(to) - 1, y2}});
        return label.empty();
      }
      case ArrowRoute::kBack: {
        const int x = left(to) + width(to) / 2, y = top(from) + 1;
        route({{left(from) - 1, y}, {x, y}, {x, top(to) + height(to)}});
        if (!label.empty()) put(x + 2, y - 1, label);
        return true;
      }
      case ArrowRoute::kBypass:
        draw_bypass(from, to);
        return label.empty();
      case ArrowRoute::kAcross:
        return false;
    }
    return false;
  }

  void draw_bypass(size_t from, size_t to) {
    const bool first = diagram_.boxes[from].column == 0;
    const int side = first ? left(from) - 1 : left(from) + width(from);
    const int lane = side + (first ? 1 - kLane : kLane - 1);
    const int y1 = top(from) + height(from) - 2, y2 = top(to) + 1;
    route({{side, y1}, {lane, y1}, {lane, y2}, {side, y2}});
  }

  /// A line through the corners, with the arrow's head at the last.
  void route(const std::vector<Cell>& corners) {
    Cell at = corners.front();
    unsigned& start = lines_[static_cast<size_t>(at.y)][static_cast<size_t>(at.x)];
    unsigned heading = 0;
    for (const Cell& corner : corners) {
      while (at.x != corner.x || at.y != corner.y) {
        const int dx = (corner.x > at.x) - (corner.x < at.x);
        const int dy = dx != 0 ? 0 : (corner.y > at.y) - (corner.y < at.y);
        const unsigned ahead = dx > 0 ? kRight : dx < 0 ? kLeft : dy > 0 ? kDown : kUp;
        if (heading == 0) start |= opposite(ahead);
        heading = ahead;
        lines_[static_cast<size_t>(at.y)][static_cast<size_t>(at.x)] |= ahead;
        at.x += dx, at.y += dy;
        lines_[static_cast<size_t>(at.y)][static_cast<size_t>(at.x)] |= opposite(ahead);
      }
    }
    const Frame& f = frame(false);
    put(at.x, at.y,
        heading == kRight  ? f.to_right
        : heading == kLeft ? f.to_left
        : heading == kUp   ? f.to_top
                           : f.to_bottom);
  }

  static unsigned opposite(unsigned way) {
    return way == kLeft ? kRight : way == kRight ? kLeft : way == kUp ? kDown : kUp;
  }

  /// Lines where nothing else stands; where they meet, in one sign.
  void draw_lines() {
    for (size_t y = 0; y < lines_.size(); ++y)
      for (size_t x = 0; x < lines_[y].size(); ++x)
        if (lines_[y][x] != 0 && canvas_[y][x] == " ")
          canvas_[y][x] = (is_ascii() ? kPlainLines : kLines)[lines_[y][x]];
  }

  std::string listed(size_t i) const {
    const auto name = [&](size_t box) {
      std::string text;
      for (size_t k = 0; k < grid_.text_lines[box]; ++k)
        text += (text.empty() ? "" : " ") + grid_.lines[box][k];
      return text;
    };
    const std::string& label = diagram_.arrows[i].label;
    return name(grid_.arrows[i].first) + (is_ascii() ? " -> " : " → ") +
           name(grid_.arrows[i].second) + (label.empty() ? "" : ": " + printable(label));
  }

  const Diagram& diagram_;
  const CurveTerminalOptions& options_;
  const DiagramGrid grid_;
  std::vector<int> lefts_, tops_, widths_;
  std::vector<std::vector<std::string>> canvas_;
  std::vector<std::vector<unsigned>> lines_;  // ways on from each cell
};

}  // namespace

std::string diagram_to_terminal(const Diagram& diagram, const CurveTerminalOptions& options) {
  return DiagramPrinter(diagram, options).draw();
}

}  // namespace attend::render
