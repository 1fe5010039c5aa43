#include <algorithm>
#include <cmath>
#include <cstdint>

#include "attend/core/utf8.h"
#include "attend/render/curve_axes.h"
#include "attend/render/curves.h"
#include "attend/render/terminal_line.h"
#include "attend/render/text_metrics.h"
#include "attend/render/value_scale.h"

namespace attend::render {
namespace {

constexpr char kMarks[] = "ox+*#%@&";
constexpr int kNarrowest = 30;
constexpr int kLowest = 4;

/// One character of the plot: dots of a braille sign, and the series that set them last.
struct Spot {
  uint8_t dots = 0;
  int series = -1;  // -1: nothing, -2: a reference line
};

class TerminalPlot {
 public:
  TerminalPlot(const Curves& curves, const CurveTerminalOptions& options)
      : curves_(curves),
        options_(options),
        axes_(curve_axes(curves)),
        height_(std::max(options.height, kLowest)),
        total_width_(std::max(options.width, kNarrowest)) {
    for (const std::string& label : axes_.y.labels)
      label_width_ = std::max(label_width_, display_width(label));
    label_width_ = std::min(label_width_, total_width_ / 3);
    width_ = total_width_ - label_width_ - 2;
    spots_.assign(static_cast<size_t>(width_ * height_), {});
  }

  std::string draw() {
    for (const ReferenceLine& line : curves_.references) draw_reference(line);
    for (size_t i = 0; i < curves_.series.size(); ++i) draw_series(static_cast<int>(i));
    std::vector<TerminalLine> out;
    const auto add_text = [&](const std::string& text) {
      if (text.empty()) return;
      for (TerminalLine& line : wrapped(text, total_width_, options_.colour))
        out.push_back(std::move(line));
    };
    add_text(curves_.title);
    add_text(curves_.y_axis);
    for (int row = 0; row < height_; ++row) out.push_back(plot_line(row));
    out.push_back(axis_line());
    out.push_back(tick_line());
    if (!curves_.x_axis.empty()) {
      const std::string name = cut_to_width(curves_.x_axis, width_);
      out.push_back(
          new_line().fill_to(label_width_ + 2 + (width_ - display_width(name)) / 2).add(name));
    }
    add_legend(out);
    return join(out);
  }

 private:
  bool is_ascii() const { return options_.colour == TerminalColour::kAscii; }
  int dots_across() const { return is_ascii() ? width_ : 2 * width_; }
  int dots_down() const { return is_ascii() ? height_ : 4 * height_; }
  TerminalLine new_line() const { return TerminalLine(options_.colour); }

  int column_of(double x) const {
    return static_cast<int>(std::lround(axes_.x.fraction(x) * (dots_across() - 1)));
  }
  int row_of(double y) const {
    return static_cast<int>(std::lround((1 - axes_.y.fraction(y)) * (dots_down() - 1)));
  }
  /// The line of text that a value falls on.
  int line_of(double y) const { return row_of(y) / (is_ascii() ? 1 : 4); }

  void set(int column, int row, int series) {
    if (column < 0 || column >= dots_across() || row < 0 || row >= dots_down()) return;
    // Bits of the braille sign's dots, by column and row (Unicode, chapter 21).
    constexpr uint8_t kDot[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    const int x = is_ascii() ? column : column / 2;
    const int y = is_ascii() ? row : row / 4;
    Spot& spot = spots_[static_cast<size_t>(y * width_ + x)];
    spot.dots |= kDot[column % 2][row % 4];
    spot.series = series;
  }

  void draw_reference(const ReferenceLine& line) {
    if (!axes_.y.shows(line.y)) return;
    for (int c = 0; c < dots_across(); c += is_ascii() ? 2 : 4) set(c, row_of(line.y), -2);
  }

  void draw_series(int number) {
    const Series& series = curves_.series[static_cast<size_t>(number)];
    bool has_last = false;
    int last_column = 0, last_row = 0;
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!axes_.x.shows(series.x[i]) || !axes_.y.shows(series.y[i])) {
        has_last = false;
        continue;
      }
      const int column = column_of(series.x[i]);
      const int row = row_of(series.y[i]);
      const int steps = has_last && !series.points
                            ? std::max(std::abs(column - last_column), std::abs(row - last_row))
                            : 0;
      for (int s = 0; s < steps; ++s) {
        const double t = static_cast<double>(s) / steps;
        set(last_column + static_cast<int>(std::lround(t * (column - last_column))),
            last_row + static_cast<int>(std::lround(t * (row - last_row))), number);
      }
      set(column, row, number);
      if (series.points && !is_ascii()) {  // one dot alone is hard to see
        set(column + 1, row, number);
        set(column, row + 1, number);
        set(column + 1, row + 1, number);
      }
      has_last = true;
      last_column = column;
      last_row = row;
    }
  }

  TerminalLine plot_line(int row) const {
    std::string label;
    for (size_t i = 0; i < axes_.y.ticks.size(); ++i)
      if (line_of(axes_.y.ticks[i]) == row) label = axes_.y.labels[i];
    TerminalLine line = new_line();
    line.add(pad_left(label, label_width_)).add(is_ascii() ? " |" : label.empty() ? " │" : " ┤");
    for (int c = 0; c < width_; ++c) {
      const Spot& spot = spots_[static_cast<size_t>(row * width_ + c)];
      if (spot.series == -1) {
        line.add(" ");
      } else if (is_ascii()) {
        line.add(std::string(1, spot.series < 0 ? '-' : mark(spot.series)));
      } else {
        std::string sign;
        core::append_utf8(sign, 0x2800u + spot.dots);
        spot.series < 0 ? line.add(sign) : line.add_in(colour(spot.series), sign);
      }
    }
    return line;
  }

  static char mark(int series) { return kMarks[static_cast<size_t>(series) % (sizeof kMarks - 1)]; }
  Rgb colour(int series) const {
    return series_colour(static_cast<size_t>(series), options_.background);
  }

  TerminalLine axis_line() const {
    TerminalLine line = new_line();
    line.fill_to(label_width_ + 1).add(is_ascii() ? "+" : "└");
    for (int c = 0; c < width_; ++c) line.add(is_ascii() ? "-" : "─");
    return line;
  }

  TerminalLine tick_line() const {
    TerminalLine line = new_line();
    if (axes_.empty) return line.fill_to(label_width_ + 2).add("no points yet");
    for (size_t i = 0; i < axes_.x.ticks.size(); ++i) {
      const int size = display_width(axes_.x.labels[i]);
      const int middle = label_width_ + 2 + column_of(axes_.x.ticks[i]) / (is_ascii() ? 1 : 2);
      const int at = std::min(middle - size / 2, total_width_ - size);
      if (at > line.width() || (at >= 0 && line.width() == 0))
        line.fill_to(at).add(axes_.x.labels[i]);
    }
    return line;
  }

  void add_legend(std::vector<TerminalLine>& out) const {
    TerminalLine line = new_line();
    const auto entry = [&](const std::string& sign, int series, const std::string& name) {
      const std::string text = cut_to_width(name, total_width_ - 6, is_ascii() ? "~" : "…");
      if (line.width() > 0 && line.width() + display_width(text) + 6 > total_width_) {
        out.push_back(line);
        line = new_line();
      }
      if (line.width() > 0) line.add("   ");
      series < 0 ? line.add(sign) : line.add_in(colour(series), sign);
      line.add(" ").add(text);
    };
    for (size_t i = 0; i < curves_.series.size(); ++i) {
      if (curves_.series[i].name.empty()) continue;
      const int number = static_cast<int>(i);
      const char* sign = curves_.series[i].points ? "⠶" : "━━";
      entry(is_ascii() ? std::string(1, mark(number)) : sign, number, curves_.series[i].name);
    }
    for (const ReferenceLine& reference : curves_.references)
      entry(is_ascii() ? "- -" : "╌╌", -1,
            reference.name + " (" + format_weight(reference.y) + ")");
    if (line.width() > 0) out.push_back(line);
  }

  const Curves& curves_;
  const CurveTerminalOptions& options_;
  const CurveAxes axes_;
  int height_;
  int total_width_;
  int label_width_ = 1;
  int width_ = 0;
  std::vector<Spot> spots_;
};

}  // namespace

std::string curves_to_terminal(const Curves& curves, const CurveTerminalOptions& options) {
  return TerminalPlot(curves, options).draw();
}

}  // namespace attend::render
