#include "attend/lessons/figure_svg.h"

#include <algorithm>

#include "attend/render/svg_map.h"

namespace attend::lessons {
namespace {

// A few cells in several panels are large enough to hold their numbers.
double cell_for(const render::AttentionMap& map) {
  size_t longest = 0, across = 0;
  for (const auto& panel : map.panels) {
    longest = std::max({longest, panel.rows.size(), panel.columns.size()});
    across += panel.columns.size();
  }
  const bool is_small = map.panels.size() > 1 && longest <= 8 && across <= 24;
  return is_small ? 32 : 0;
}

std::string map_svg(render::AttentionMap map, const MapLook& look, const std::string& title) {
  map.title = title;
  render::SvgOptions options;
  options.scaling = look.scaling;
  options.quantity = look.quantity;
  options.columns = look.columns;
  options.most_titles = 600;  // so that the gallery stays small
  options.cell = cell_for(map);
  return render::map_to_svg(map, options);
}

struct Drawer {
  const std::string& title;

  std::string operator()(const MapFigure& f) const { return map_svg(f.map, f.look, title); }
  std::string operator()(const CurveFigure& f) const {
    render::Curves curves = f.curves;
    curves.title = title;
    return render::curves_to_svg(curves, {.height = title.empty() ? 400.0 : 440.0});
  }
  std::string operator()(const BarFigure& f) const {
    render::Bars bars = f.bars;
    bars.title = title;
    return render::bars_to_svg(bars);
  }
  std::string operator()(const DiagramFigure& f) const {
    render::Diagram diagram = f.diagram;
    diagram.title = title;
    return render::diagram_to_svg(diagram);
  }
  std::string operator()(const Animation& f) const {
    const std::string& label = f.frames.back().label;
    return map_svg(f.frames.back().map, f.look, title.empty() ? label : title + ", " + label);
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

struct Captioner {
  std::optional<Bilingual> operator()(const MapFigure& f) const { return f.caption; }
  std::optional<Bilingual> operator()(const CurveFigure& f) const { return f.caption; }
  std::optional<Bilingual> operator()(const BarFigure& f) const { return f.caption; }
  std::optional<Bilingual> operator()(const DiagramFigure& f) const { return f.caption; }
  std::optional<Bilingual> operator()(const Animation& f) const { return f.caption; }
  template <class Other>
  std::optional<Bilingual> operator()(const Other&) const {
    return std::nullopt;
  }
};

}  // namespace

std::optional<Bilingual> figure_caption(const Entry& entry) {
  return std::visit(Captioner{}, entry);
}

std::string figure_svg(const Entry& entry, const std::string& title) {
  return std::visit(Drawer{title}, entry);
}

}  // namespace attend::lessons
