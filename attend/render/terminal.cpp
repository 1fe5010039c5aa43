#include "attend/render/terminal.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attend/render/axis_ticks.h"
#include "attend/render/check.h"
#include "attend/render/terminal_header.h"
#include "attend/render/terminal_line.h"
#include "attend/render/text_metrics.h"
#include "attend/render/ticks.h"

namespace attend::render {
namespace {

constexpr int kNarrowest = 20;
constexpr int kWidestColumnLabel = 18;
constexpr int kMostLines = 6;  // of a title or a sentence; what is longer is cut
constexpr int kTallestHeader = 12;
constexpr int kCellWidths[] = {5, 4, 2};  // the last has no room for numbers
constexpr int kScaleWidth = 30;
// No sign and no point among them: they stand before numbers.
constexpr std::string_view kRamp = " ':*oO#@";

bool is_signed(const ValueScale& scale) { return scale.palette == Palette::kDiverging; }

/// The ramp's mark of a fraction of the scale; on a diverging one, of the distance from its middle.
char ramp(const ValueScale& scale, double fraction) {
  const double size = is_signed(scale) ? std::abs(2 * fraction - 1) : fraction;
  const auto step = static_cast<size_t>(size * static_cast<double>(kRamp.size()));
  return kRamp[std::min(step, kRamp.size() - 1)];
}

/// A text above the picture, as lines.
std::vector<TerminalLine> text_lines(const std::string& text, const TerminalOptions& options) {
  const char* ellipsis = options.colour == TerminalColour::kAscii ? "~" : "…";
  return wrapped(cut_to_width(text, kMostLines * options.width, ellipsis), options.width,
                 options.colour);
}

class PanelPrinter {
 public:
  PanelPrinter(const MapPanel& panel, const ValueScale& scale, const TerminalOptions& options)
      : panel_(panel),
        scale_(scale),
        options_(options),
        ellipsis_(is_ascii() ? "~" : "…"),
        title_(cut_to_width(panel_title(panel), kMostLines * options.width, ellipsis_)) {
    const int most = std::clamp(options.width / 3, 8, 24);
    for (const std::string& row : panel.rows) {
      rows_.push_back(cut_to_width(row, most, ellipsis_));
      label_width_ = std::max(label_width_, display_width(rows_.back()));
    }
    for (const std::string& column : panel.columns)
      columns_.push_back(cut_to_width(column, kWidestColumnLabel, ellipsis_));
  }

  /// The panel as one block or, when it is too wide, several with some of the columns each.
  std::vector<TerminalBlock> blocks() const {
    if (panel_.rows.empty() || panel_.columns.empty()) return {empty_block()};
    const size_t count = panel_.columns.size();
    for (const int cell : kCellWidths)
      if (width_of(cell, 0, count) <= options_.width) return {block(cell, 0, count)};
    std::vector<TerminalBlock> blocks;
    // Along a quantity the neighbours are alike, so that a narrow cell tells enough.
    if (is_numeric(panel_.columns) && width_of(1, 0, count) <= options_.width)
      return {block(1, 0, count)};
    const int cell = kCellWidths[std::size(kCellWidths) - 1];
    for (size_t first = 0; first < count;) {
      size_t end = first + 1;
      while (end < count && width_of(cell, first, end + 1) <= options_.width) ++end;
      blocks.push_back(block(cell, first, end));
      first = end;
    }
    return blocks;
  }

 private:
  bool is_ascii() const { return options_.colour == TerminalColour::kAscii; }
  TerminalLine new_line() const { return TerminalLine(options_.colour); }

  /// Labels of columns [first, end) at their places, cut where the screen ends.
  std::vector<HeaderLabel> labels(int cell, size_t first, size_t end) const {
    std::vector<HeaderLabel> labels;
    if (cell <= 2 && end - first == panel_.columns.size() && is_numeric(panel_.columns)) {
      const int most = cell * static_cast<int>(end) / 8;
      for (const AxisTick& tick : axis_ticks(panel_.columns, 2, most))
        labels.push_back({tick.label, label_width_ + 1 + static_cast<int>(tick.place * cell)});
      return labels;
    }
    for (size_t c = first; c < end; ++c) {
      const int x = label_width_ + 1 + cell * static_cast<int>(c - first) + (cell > 2 ? 1 : 0);
      labels.push_back({columns_[c], x});
    }
    return labels;
  }

  bool has_steps(const std::vector<HeaderLabel>& labels) const {
    return header_height(labels) <= kTallestHeader;
  }

  int width_of(int cell, size_t first, size_t end) const {
    int width = label_width_ + 1 + cell * static_cast<int>(end - first);
    const std::vector<HeaderLabel> header = labels(cell, first, end);
    if (has_steps(header))
      for (const HeaderLabel& label : header)
        width = std::max(width, label.x + display_width(label.text));
    return width;
  }

  TerminalBlock empty_block() const {
    TerminalBlock block;
    add_title(block, 0, panel_.columns.size());
    block.lines.push_back(new_line().add(panel_.rows.empty() ? "(no rows)" : "(no columns)"));
    return block;
  }

  void add_title(TerminalBlock& block, size_t first, size_t end) const {
    std::string title = title_;
    if (end - first < panel_.columns.size())
      title += (title.empty() ? "columns " : ", columns ") + std::to_string(first + 1) + " to " +
               std::to_string(end) + " of " + std::to_string(panel_.columns.size());
    if (title.empty()) return;
    for (TerminalLine& line : wrapped(title, options_.width, options_.colour))
      block.lines.push_back(std::move(line));
  }

  TerminalBlock block(int cell, size_t first, size_t end) const {
    TerminalBlock block;
    add_title(block, first, end);
    std::vector<HeaderLabel> header = labels(cell, first, end);
    for (HeaderLabel& label : header)
      label.text = cut_to_width(label.text, options_.width - label.x, ellipsis_);
    const bool steps = has_steps(header);
    const auto number = static_cast<int64_t>(first) + 1;
    for (TerminalLine& line : steps ? header_lines(header, options_.colour)
                                    : number_lines(header, number, options_.colour))
      block.lines.push_back(std::move(line));
    for (size_t r = 0; r < panel_.rows.size(); ++r) block.lines.push_back(row(r, cell, first, end));
    if (!steps) add_legend(block, first, end);
    return block;
  }

  TerminalLine row(size_t r, int cell, size_t first, size_t end) const {
    TerminalLine line = new_line();
    line.add(pad_left(rows_[r], label_width_)).add(" ");
    for (size_t c = first; c < end; ++c)
      add_cell(line, panel_.weights[r * panel_.columns.size() + c], cell);
    return line;
  }

  void add_cell(TerminalLine& line, float weight, int cell) const {
    const int level = scale_.level(weight);
    const bool has_number = cell > 2;
    const bool has_sign = cell == 5 && scale_.low < 0;
    std::string number = has_sign     ? format_weight_signed(weight)
                         : has_number ? format_weight_short(weight)
                                      : "";
    // ".00" tells less than an empty cell, and hides the pattern of the others.
    if (has_number && std::abs(weight) < 0.005f) number.assign(number.size(), ' ');
    if (level < 0) number = has_number ? "  ?" : std::string(static_cast<size_t>(cell), '?');
    if (is_ascii()) {
      std::string mark(cell == 2 ? 2 : 1,
                       level < 0 ? ' ' : ramp(scale_, level / double{kPaletteSize}));
      if (cell == 2 && is_signed(scale_) && mark[1] != ' ') mark[0] = weight < 0 ? '-' : '+';
      line.add(has_number ? mark + number : level < 0 ? number : mark);
      if (cell == 5 && number.size() == 3) line.add(" ");
      return;
    }
    const Rgb ground =
        level < 0 ? missing_colour(options_.background)
                  : palette(scale_.palette, options_.background)[static_cast<size_t>(level)];
    std::string text = has_number && !has_sign ? " " + number : number;
    text.resize(static_cast<size_t>(cell), ' ');
    line.add_on(ground, text);
  }

  void add_legend(TerminalBlock& block, size_t first, size_t end) const {
    std::string legend = "columns:";
    for (size_t c = first; c < end; ++c)
      legend += (c == first ? " " : ", ") + std::to_string(c + 1) + "\xC2\xA0" + columns_[c];
    for (TerminalLine& line : wrapped(legend, options_.width, options_.colour))
      block.lines.push_back(std::move(line));
  }

  const MapPanel& panel_;
  const ValueScale& scale_;
  const TerminalOptions& options_;
  const char* ellipsis_;
  std::string title_;                        // what is too long is cut, once, in these
  std::vector<std::string> rows_, columns_;  // labels, printable
  int label_width_ = 1;
};

void append(std::vector<TerminalLine>& out, const std::vector<TerminalLine>& lines) {
  out.insert(out.end(), lines.begin(), lines.end());
}

bool has_missing(const AttentionMap& map) {
  for (const MapPanel& panel : map.panels)
    for (const float weight : panel.weights)
      if (!std::isfinite(weight)) return true;
  return false;
}

/// "0.0 [colours] 1.0  weight": what the colours mean.
TerminalLine scale_line(const AttentionMap& map, const ValueScale& scale,
                        const TerminalOptions& options) {
  const bool is_unit = scale.low == 0 && scale.high == 1;
  const auto number = [&](double value) {
    return is_unit ? (value == 0 ? std::string("0") : std::string("1")) : format_weight(value);
  };
  const std::string tail = number(scale.high) + "  " + printable(options.quantity) +
                           (has_missing(map) ? "; ? is not a number" : "");
  const int taken = display_width(number(scale.low)) + display_width(tail) + 2;
  const int steps = std::clamp(options.width - taken, 5, kScaleWidth);
  TerminalLine line(options.colour);
  line.add(number(scale.low)).add(" ");
  for (int i = 0; i < steps; ++i) {
    const auto place = static_cast<size_t>(i);
    const auto size = static_cast<size_t>(steps);
    if (options.colour == TerminalColour::kAscii)
      line.add(std::string(1, ramp(scale, static_cast<double>(i) / steps)));
    else
      line.add_on(
          palette(scale.palette, options.background)[place * (kPaletteSize - 1) / (size - 1)], " ");
  }
  line.add(" ").add(tail);
  return line;
}

}  // namespace

std::string map_to_terminal(const AttentionMap& map, const TerminalOptions& requested) {
  check_map(map, "terminal");
  TerminalOptions options = requested;
  options.width = std::max(options.width, kNarrowest);
  const ValueScale scale = ValueScale::of(map, options.scaling);
  std::vector<TerminalLine> out;
  const auto add_text = [&](const std::string& text) {
    if (!text.empty()) append(out, text_lines(text, options));
  };
  add_text(map.title);
  add_text(map.source.empty() ? "" : "source: " + map.source);
  add_text(map.target.empty() ? "" : "target: " + map.target);
  add_text("rows: " + map.row_axis + ", columns: " + map.column_axis);
  out.emplace_back(options.colour);

  std::vector<TerminalBlock> blocks;
  for (const MapPanel& panel : map.panels)
    for (TerminalBlock& block : PanelPrinter(panel, scale, options).blocks())
      blocks.push_back(std::move(block));
  if (blocks.empty()) add_text("Nothing to draw: this map has no panels.");
  append(out, flow(blocks, options.width, options.colour));
  out.emplace_back(options.colour);
  out.push_back(scale_line(map, scale, options));
  return join(out);
}

}  // namespace attend::render
