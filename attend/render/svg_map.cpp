#include "attend/render/svg_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attend/core/errors.h"
#include "attend/render/check.h"
#include "attend/render/escape.h"
#include "attend/render/map_layout.h"
#include "attend/render/svg_cells.h"
#include "attend/render/text_metrics.h"
#include "attend/render/ticks.h"

namespace attend::render {
namespace {

constexpr size_t kMostCells = 4'000'000;
constexpr double kMargin = 18;
constexpr double kPanelGap = 30;
constexpr double kHeadingSize = 17;
constexpr double kCaptionSize = 12;
constexpr double kScaleWidth = 280;
constexpr double kScaleHeight = 12;
constexpr int kScaleSteps = 70;
constexpr int kWidestText = 1200;  // columns of a title or a sentence; what is longer is cut

/// A map's picture while it is drawn, from the top down.
class MapDrawing {
 public:
  MapDrawing(const AttentionMap& map, const SvgOptions& options)
      : map_(map),
        options_(options),
        scale_(ValueScale::of(map, options.scaling)),
        svg_(options.theme),
        styles_(scale_.palette) {}

  std::string draw() {
    place_panels();
    if (options_.captions) draw_captions();
    draw_panels();
    draw_scale();
    styles_.write(svg_);
    return svg_.document(width_ + 2 * kMargin, y_ + kMargin, accessible_title());
  }

 private:
  void place_panels() {
    const bool alone = map_.panels.size() == 1;
    for (const MapPanel& panel : map_.panels) {
      layouts_.push_back(layout_panel(panel, alone, options_.cell));
      cells_ += panel.weights.size();
    }
    columns_ = options_.columns > 0 ? static_cast<size_t>(options_.columns) : grid_columns(map_);
    widths_.assign(columns_, 0);
    for (size_t i = 0; i < layouts_.size(); ++i)
      widths_[i % columns_] = std::max(widths_[i % columns_], layouts_[i].width);
    double grid = -kPanelGap;
    for (const double width : widths_) grid += width > 0 ? width + kPanelGap : 0;
    width_ = std::max(grid, kScaleWidth + 80);
  }

  void draw_lines(const std::string& text, const TextStyle& style) {
    if (text.empty()) return;
    for (const std::string& line : wrap_text(cut_to_width(text, kWidestText), style.size, width_)) {
      y_ += style.size + 4;
      svg_.text(kMargin, y_, line, style);
    }
    y_ += 4;
  }

  void draw_captions() {
    draw_lines(map_.title, {kHeadingSize, "ink", "start", 0, true});
    draw_lines(map_.source.empty() ? "" : "source: " + map_.source, {kCaptionSize, "dim"});
    draw_lines(map_.target.empty() ? "" : "target: " + map_.target, {kCaptionSize, "dim"});
    if (y_ > kMargin) y_ += 10;
  }

  void draw_panels() {
    if (map_.panels.empty()) draw_lines("Nothing to draw: this map has no panels.", {13, "dim"});
    for (size_t first = 0; first < layouts_.size(); first += columns_) {
      const size_t end = std::min(first + columns_, layouts_.size());
      // Matrices in one row of the grid begin at one height, whatever their labels need.
      double matrix_y = 0;
      double below = 0;
      for (size_t i = first; i < end; ++i) {
        matrix_y = std::max(matrix_y, layouts_[i].matrix_y);
        below = std::max(below, layouts_[i].height - layouts_[i].matrix_y);
      }
      double x = kMargin;
      for (size_t i = first; i < end; ++i) {
        draw_panel(map_.panels[i], layouts_[i], x, y_, matrix_y);
        x += widths_[i - first] + kPanelGap;
      }
      y_ += matrix_y + below + kPanelGap - 8;
    }
  }

  void draw_panel(const MapPanel& panel, const PanelLayout& layout, double x, double y,
                  double matrix_y) {
    for (size_t i = 0; i < layout.title.size(); ++i)
      svg_.text(x, y + kTitleSize + static_cast<double>(i) * (kTitleSize + 5), layout.title[i],
                {kTitleSize, "ink", "start", 0, true});
    const double left = x + layout.matrix_x;
    const double top = y + matrix_y;
    if (panel.rows.empty() || panel.columns.empty()) {
      svg_.text(x, top + 12, panel.rows.empty() ? "no rows" : "no columns", {12, "dim"});
      return;
    }
    draw_labels(layout, left, top);
    if (layout.shows_axes) draw_axes(panel, layout, x, y, left, top);
    const auto draw = cells_ <= options_.most_titles ? draw_cells : draw_merged_cells;
    draw(svg_, styles_, panel, scale_, layout.cell, left, top);
  }

  void draw_labels(const PanelLayout& layout, double left, double top) {
    for (const AxisTick& tick : layout.rows)
      svg_.text(left - 6, top + tick.place * layout.cell + layout.font * 0.34, tick.label,
                {layout.font, "ink", "end"});
    for (const AxisTick& tick : layout.columns) {
      const double middle = left + tick.place * layout.cell;
      if (layout.slanted)
        svg_.text(middle + layout.font * 0.3, top - 5, tick.label,
                  {layout.font, "ink", "start", -45});
      else
        svg_.text(middle, top - 6, tick.label, {layout.font, "ink", "middle"});
    }
  }

  void draw_axes(const MapPanel& panel, const PanelLayout& layout, double x, double y, double left,
                 double top) {
    const double titles = static_cast<double>(layout.title.size()) * (kTitleSize + 5);
    svg_.text(left, y + titles + kAxisSize + 2, map_.column_axis + " →", {kAxisSize, "dim"});
    const double middle = top + layout.cell * static_cast<double>(panel.rows.size()) / 2;
    // Beside a matrix lower than its name the name would run over the labels above: it starts
    // there.
    const double length = kAxisSize * text_width_em(map_.row_axis + " ←");
    const bool fits = length <= layout.cell * static_cast<double>(panel.rows.size());
    if (fits)
      svg_.text(x + kAxisSize, middle, "← " + map_.row_axis, {kAxisSize, "dim", "middle", -90});
    else
      svg_.text(x, top - 8, map_.row_axis + " ↓", {kAxisSize, "dim"});
  }

  void draw_scale() {
    y_ += 4;
    const double x = kMargin + 8;
    const bool has_missing =
        std::any_of(map_.panels.begin(), map_.panels.end(), [](const MapPanel& panel) {
          return std::any_of(panel.weights.begin(), panel.weights.end(),
                             [](float w) { return !std::isfinite(w); });
        });
    svg_.raw("<g shape-rendering=\"crispEdges\">\n");
    for (int i = 0; i < kScaleSteps; ++i) {
      const double width = kScaleWidth / kScaleSteps;
      const int level = (kPaletteSize - 1) * i / (kScaleSteps - 1);
      svg_.raw("<rect x=\"" + svg_number(x + width * i) + "\" y=\"" + svg_number(y_) +
               "\" width=\"" + svg_number(width) + "\" height=\"" + svg_number(kScaleHeight) +
               "\" class=\"" + styles_.use(level) + "\"/>\n");
    }
    svg_.raw("</g>\n");
    draw_scale_numbers(x);
    if (has_missing) {
      const double at = x + kScaleWidth + 24;
      svg_.raw("<rect x=\"" + svg_number(at) + "\" y=\"" + svg_number(y_) +
               "\" width=\"12\" height=\"12\" class=\"na\"/>\n");
      svg_.text(at, y_ + kScaleHeight + 16, "not a number", {11, "ink"});
      width_ = std::max(width_, at + 90 - kMargin);
    }
    y_ += kScaleHeight + 20;
    draw_lines(scale_note(), {11, "dim"});
  }

  void draw_scale_numbers(double x) {
    const std::vector<double> ticks = scale_.ticks();
    const bool is_unit = scale_.low == 0 && scale_.high == 1;
    const std::vector<std::string> labels = tick_labels(ticks);
    for (size_t i = 0; i < ticks.size(); ++i) {
      const double at = x + kScaleWidth * scale_.fraction(ticks[i]);
      svg_.line(at, y_ + kScaleHeight, at, y_ + kScaleHeight + 4, "rule");
      svg_.text(at, y_ + kScaleHeight + 16, is_unit ? labels[i] : format_weight(ticks[i]),
                {11, "ink", "middle"});
    }
  }

  std::string scale_note() const {
    std::string note = scale_.low == 0 && scale_.high == 1
                           ? options_.quantity
                           : options_.quantity + "; the colours span the values of this picture";
    if (map_.panels.size() > 1)
      note += "; rows: " + map_.row_axis + ", columns: " + map_.column_axis;
    for (const PanelLayout& layout : layouts_)
      if (layout.omits_labels) return note + "; some labels are left out for room";
    return note;
  }

  std::string accessible_title() const {
    return map_.title.empty() ? "attention map: " + map_.row_axis + " by " + map_.column_axis
                              : map_.title;
  }

  const AttentionMap& map_;
  const SvgOptions& options_;
  const ValueScale scale_;
  SvgWriter svg_;
  CellStyles styles_;
  std::vector<PanelLayout> layouts_;
  std::vector<double> widths_;  // of the grid's columns
  size_t columns_ = 1;
  size_t cells_ = 0;
  double width_ = 0;    // without margins
  double y_ = kMargin;  // how far down the picture is drawn
};

}  // namespace

std::string map_to_svg(const AttentionMap& map, const SvgOptions& options) {
  check_map(map, "svg");
  size_t cells = 0;
  for (const MapPanel& panel : map.panels) cells += panel.weights.size();
  if (cells > kMostCells)
    throw InvalidArgument("[svg] expected at most 4,000,000 cells, found " + std::to_string(cells) +
                          "; choose fewer panels");
  return MapDrawing(map, options).draw();
}

}  // namespace attend::render
