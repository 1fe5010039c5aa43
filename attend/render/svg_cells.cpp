#include "attend/render/svg_cells.h"

#include <cmath>

#include "attend/render/escape.h"

namespace attend::render {
namespace {

constexpr double kSmallestCellWithText = 27;
constexpr double kSmallestCellWithGap = 8;

std::string rect(double x, double y, double width, double height, const std::string& css) {
  return "<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
         svg_number(width) + "\" height=\"" + svg_number(height) + "\" class=\"" + css + "\"";
}

/// A number that would read ".00" tells less than the colour does.
bool is_worth_writing(float weight) { return !std::isfinite(weight) || std::abs(weight) >= 0.005f; }

void draw_value(SvgWriter& svg, CellStyles& styles, float weight, int level, double cell, double x,
                double y) {
  std::string text = std::isfinite(weight) ? format_weight_signed(weight) : "×";
  text.erase(0, text.find_first_not_of(' '));
  const std::string css = styles.use_text(level);
  const double size = std::min(11.0, cell * (level < 0 ? 0.8 : 0.36));
  const TextStyle style{size, css.c_str(), "middle"};
  svg.text(x + cell / 2, y + cell / 2 + style.size * 0.36, text, style);
}

}  // namespace

std::string CellStyles::use(int level) {
  if (level < 0) return "na";
  used_[static_cast<size_t>(level)] = true;
  return name(static_cast<size_t>(level));
}

std::string CellStyles::use_text(int level) {
  if (level < 0) return "v bw";
  const auto is_black = [this, level](Background background) {
    const Rgb ground = palette(palette_, background)[static_cast<size_t>(level)];
    return text_colour_on(ground) == Rgb{0, 0, 0};
  };
  std::string css = "v ";
  css += is_black(Background::kLight) ? 'b' : 'w';
  css += is_black(Background::kDark) ? 'b' : 'w';
  return css;
}

void CellStyles::write(SvgWriter& svg) const {
  const auto& light = palette(palette_, Background::kLight);
  const auto& dark = palette(palette_, Background::kDark);
  for (size_t i = 0; i < used_.size(); ++i)
    if (used_[i]) svg.style("." + name(i), "fill:" + hex(light[i]), "fill:" + hex(dark[i]));
  svg.style(".na", "fill:" + hex(missing_colour(Background::kLight)),
            "fill:" + hex(missing_colour(Background::kDark)));
  svg.style(".v", "pointer-events:none");
  svg.style(".bw", "fill:#000000", "fill:#ffffff");
  svg.style(".wb", "fill:#ffffff", "fill:#000000");
  svg.style(".bb", "fill:#000000");
  svg.style(".ww", "fill:#ffffff");
}

void draw_cells(SvgWriter& svg, CellStyles& styles, const MapPanel& panel, const ValueScale& scale,
                double cell, double x, double y) {
  const double gap = cell >= kSmallestCellWithGap ? 1 : 0;
  const size_t columns = panel.columns.size();
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const float weight = panel.weights[r * columns + c];
      const int level = scale.level(weight);
      const double left = x + cell * static_cast<double>(c);
      const double top = y + cell * static_cast<double>(r);
      svg.raw(rect(left, top, cell - gap, cell - gap, styles.use(level)));
      svg.raw("><title>" + escape_xml(panel.rows[r]) + " → " + escape_xml(panel.columns[c]) + ": " +
              format_weight(weight) + "</title></rect>\n");
      if (cell >= (level < 0 ? kSmallestCellWithGap : kSmallestCellWithText) &&
          is_worth_writing(weight))
        draw_value(svg, styles, weight, level, cell - gap, left, top);
    }
  }
}

void draw_merged_cells(SvgWriter& svg, CellStyles& styles, const MapPanel& panel,
                       const ValueScale& scale, double cell, double x, double y) {
  const size_t columns = panel.columns.size();
  std::array<std::string, kPaletteSize + 1> paths;  // the last: not finite
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    for (size_t c = 0; c < columns;) {
      const int level = scale.level(panel.weights[r * columns + c]);
      size_t end = c + 1;
      while (end < columns && scale.level(panel.weights[r * columns + end]) == level) ++end;
      const std::string run = std::to_string(end - c);
      paths[static_cast<size_t>(level < 0 ? kPaletteSize : level)] +=
          "M" + std::to_string(c) + " " + std::to_string(r) + "h" + run + "v1h-" + run + "z";
      c = end;
    }
  }
  svg.raw("<g shape-rendering=\"crispEdges\" transform=\"translate(" + svg_number(x) + " " +
          svg_number(y) + ") scale(" + svg_number(cell) + ")\">\n");
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) continue;
    const int level = i == kPaletteSize ? -1 : static_cast<int>(i);
    svg.raw("<path class=\"" + styles.use(level) + "\" d=\"" + paths[i] + "\"/>\n");
  }
  svg.raw("</g>\n");
}

}  // namespace attend::render
