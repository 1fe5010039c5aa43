#include "attend/lessons/figure_svg.h"

#include "attend/render/svg_map.h"

namespace attend::lessons {
namespace {

std::string map_svg(render::AttentionMap map, const MapLook& look, const std::string& title) {
  map.title = title;
  render::SvgOptions options;
  options.scaling = look.scaling;
  options.quantity = look.quantity;
  options.columns = look.columns;
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
