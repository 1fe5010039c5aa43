#include <algorithm>
#include <numeric>

#include "attend/render/diagram_grid.h"
#include "attend/render/terminal_line.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

constexpr int kColumnGap = 5;
constexpr int kRowGap = 2;

struct Frame {
  const char *across, *down, *top_left, *top_right, *bottom_left, *bottom_right;
  const char *to_right, *to_left, *to_bottom, *to_top;
};
constexpr Frame kLight = {"─", "│", "┌", "┐", "└", "┘", "▶", "◀", "▼", "▲"};
constexpr Frame kHeavy = {"━", "┃", "┏", "┓", "┗", "┛", "▶", "◀", "▼", "▲"};
constexpr Frame kPlain = {"-", "|", "+", "+", "+", "+", ">", "<", "v", "^"};

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
    lefts_ = {0}, tops_ = {0};
    for (const int width : widths) lefts_.push_back(lefts_.back() + width + kColumnGap);
    for (const int height : heights) tops_.push_back(tops_.back() + height + kRowGap);
    canvas_.assign(static_cast<size_t>(std::max(tops_.back() - kRowGap, 0)),
                   std::vector<std::string>(static_cast<size_t>(lefts_.back()), " "));
  }

  int left(size_t i) const { return lefts_[static_cast<size_t>(diagram_.boxes[i].column)]; }
  int width(size_t i) const {
    return lefts_[static_cast<size_t>(diagram_.boxes[i].column) + 1] - left(i) - kColumnGap;
  }
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

  /// Whether the arrow's boxes are neighbours, so that it could be drawn.
  bool draw_arrow(size_t i) {
    const auto [from, to] = grid_.arrows[i];
    const DiagramBox &a = diagram_.boxes[from], &b = diagram_.boxes[to];
    const Frame& f = frame(false);
    const bool labelled = !diagram_.arrows[i].label.empty();
    if (a.row == b.row && std::abs(a.column - b.column) == 1) {
      const bool right = b.column > a.column;
      const size_t first = right ? from : to;
      const int y = top(first) + 1;
      const int x = left(first) + width(first);
      for (int k = 0; k < kColumnGap; ++k)  // the head of an arrow the other way stays
        if (canvas_[static_cast<size_t>(y)][static_cast<size_t>(x + k)] == " ")
          put(x + k, y, f.across);
      put(right ? x + kColumnGap - 1 : x, y, right ? f.to_right : f.to_left);
      return !labelled;
    }
    if (a.column == b.column && std::abs(a.row - b.row) == 1) {
      const bool down = b.row > a.row;
      const size_t upper = down ? from : to, lower = down ? to : from;
      const int x = left(upper) + width(upper) / 2;
      const int y1 = top(upper) + height(upper), y2 = top(lower) - 1;
      for (int y = y1; y <= y2; ++y) put(x, y, f.down);
      put(x, down ? y2 : y1, down ? f.to_bottom : f.to_top);
      if (labelled) put(x + 2, y2, diagram_.arrows[i].label);
      return true;
    }
    if (b.column == a.column + 1 && std::abs(a.row - b.row) > 1) {
      draw_elbow(from, to);
      return !labelled;
    }
    return false;
  }

  /// Through the gap between two columns, past the boxes between.
  void draw_elbow(size_t from, size_t to) {
    const bool down = top(to) > top(from), plain = is_ascii();
    const int x = left(from) + width(from), turn = x + kColumnGap / 2;
    const int y1 = top(from) + 1, y2 = top(to) + 1;
    const Frame& f = frame(false);
    // Arrows that share a way, or that cross, meet in one character.
    const auto join = [&](int at_y, const char* corner, const char* met) {
      const bool is_met = canvas_[static_cast<size_t>(at_y)][static_cast<size_t>(turn)] != " ";
      put(turn, at_y, plain ? "+" : is_met ? met : corner);
    };
    for (int k = x; k < turn; ++k) put(k, y1, f.across);
    join(y1, down ? "┐" : "┘", down ? "┬" : "┴");
    for (int y = std::min(y1, y2) + 1; y < std::max(y1, y2); ++y) {
      const std::string& there = canvas_[static_cast<size_t>(y)][static_cast<size_t>(turn)];
      put(turn, y, there == " " || there == f.down ? f.down : plain ? "+" : "├");
    }
    join(y2, down ? "└" : "┌", down ? "┴" : "┬");
    for (int k = turn + 1; k < x + kColumnGap; ++k) put(k, y2, f.across);
    put(x + kColumnGap - 1, y2, f.to_right);
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
  std::vector<int> lefts_, tops_;
  std::vector<std::vector<std::string>> canvas_;
};

}  // namespace

std::string diagram_to_terminal(const Diagram& diagram, const CurveTerminalOptions& options) {
  return DiagramPrinter(diagram, options).draw();
}

}  // namespace attend::render
