#include "attend/render/map_layout.h"

#include <algorithm>
#include <cmath>

#include "attend/render/check.h"
#include "attend/render/svg_writer.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

// Labels are shortened only where they would dwarf the picture; hovering shows them whole.
constexpr int kWidestLabel = 60;
constexpr size_t kWidestGrid = 8;
// Beside other panels, so many words still get a cell each that a label fits.
constexpr size_t kMostWords = 48;
constexpr double kCellOfWord = 12;
constexpr double kSpacePerNumber = 50;  // pixels from one round number on an axis to the next

double side_of_cell(const MapPanel& panel, bool alone) {
  const size_t longest = std::max(panel.rows.size(), panel.columns.size());
  const double n = static_cast<double>(std::max<size_t>(longest, 1));
  if (alone)
    return longest <= 220 ? std::clamp(std::floor(680 / n), 12.0, 36.0)
                          : std::max(1.0, std::floor(2600 / n));
  const bool has_words = !is_numeric(panel.rows) || !is_numeric(panel.columns);
  const double least = longest > 220 ? 1 : has_words && longest <= kMostWords ? kCellOfWord : 4;
  return std::clamp(std::floor(260 / n), least, 24.0);
}

std::vector<AxisTick> shown(const std::vector<std::string>& labels, int step, double cell) {
  const double length = cell * static_cast<double>(labels.size());
  std::vector<AxisTick> ticks =
      axis_ticks(labels, step, static_cast<int>(length / kSpacePerNumber));
  for (AxisTick& tick : ticks) tick.label = cut_to_width(tick.label, kWidestLabel);
  return ticks;
}

double widest(const std::vector<AxisTick>& ticks, double font) {
  double width = 0;
  for (const AxisTick& tick : ticks) width = std::max(width, font * text_width_em(tick.label));
  return width;
}

/// How far slanted labels reach beyond the matrix on its right.
double overhang(const PanelLayout& layout, double matrix_width) {
  double right = 0;
  for (const AxisTick& tick : layout.columns) {
    const double reach = kSlant * layout.font * (text_width_em(tick.label) + 1);
    right = std::max(right, tick.place * layout.cell + reach - matrix_width);
  }
  return right;
}

}  // namespace

PanelLayout layout_panel(const MapPanel& panel, bool alone, double cell) {
  PanelLayout layout;
  layout.cell = cell > 0 ? cell : side_of_cell(panel, alone);
  layout.font = std::clamp(std::floor(layout.cell * 0.75), 9.0, 13.0);
  const int step = std::max(1, static_cast<int>(std::ceil(layout.font * 1.1 / layout.cell)));
  layout.rows = shown(panel.rows, step, layout.cell);
  // Numbers of several digits would be slanted one a cell; level ones in larger steps read better.
  const bool fits = widest(shown(panel.columns, 1, layout.cell), layout.font) <= layout.cell - 4;
  const bool round = !fits && is_numeric(panel.columns);
  layout.columns = shown(panel.columns, round ? std::max(step, 2) : step, layout.cell);
  layout.omits_labels = step > 1 && !(is_numeric(panel.rows) && is_numeric(panel.columns));
  layout.shows_axes = alone;
  const double axis = alone ? kAxisSize + 8 : 0;
  const double label_height = widest(layout.columns, layout.font);
  layout.slanted = !round && label_height > layout.cell - 4;
  layout.matrix_x = axis + widest(layout.rows, layout.font) + 8;

  const double matrix_width = layout.cell * static_cast<double>(panel.columns.size());
  const double matrix_height = layout.cell * static_cast<double>(panel.rows.size());
  const double right = layout.slanted ? overhang(layout, matrix_width) : 0;
  layout.width = std::max(layout.matrix_x + matrix_width + std::max(0.0, right) + 4, 150.0);
  if (alone) layout.width = std::max(layout.width, 360.0);
  const std::string title = panel_title(panel);
  if (!title.empty()) layout.title = wrap_text(title, kTitleSize, layout.width);

  const double labels =
      layout.slanted ? kSlant * (label_height + layout.font) + 6 : layout.font + 8;
  layout.matrix_y = static_cast<double>(layout.title.size()) * (kTitleSize + 5) + 4 + axis + labels;
  const bool is_empty = panel.rows.empty() || panel.columns.empty();
  layout.height = layout.matrix_y + matrix_height + (is_empty ? 20 : 0);
  return layout;
}

size_t grid_columns(const AttentionMap& map) {
  const size_t count = map.panels.size();
  // Panels of one kind and layer in a row, as long as each such run has the same length.
  size_t run = 0;
  bool is_grid = count > 0;
  for (size_t start = 0; start < count && is_grid;) {
    size_t end = start + 1;
    while (end < count && map.panels[end].kind == map.panels[start].kind &&
           map.panels[end].layer == map.panels[start].layer)
      ++end;
    is_grid = map.panels[start].head >= 0 && (run == 0 || run == end - start);
    run = end - start;
    start = end;
  }
  if (is_grid && run > 1 && run <= kWidestGrid) return run;
  const auto square = static_cast<size_t>(std::ceil(std::sqrt(1.3 * static_cast<double>(count))));
  return std::clamp<size_t>(square, 1, kWidestGrid);
}

}  // namespace attend::render
