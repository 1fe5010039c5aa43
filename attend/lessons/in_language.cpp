#include "attend/lessons/in_language.h"

namespace attend::lessons {
namespace {

class Translator {
 public:
  explicit Translator(Language language) : language_(language) {}

  void operator()(Table& table) const {
    for (auto& column : table.columns) name(column);
    for (auto& row : table.rows) labels(row);
  }
  void operator()(MapFigure& figure) const { map(figure.map), name(figure.look.quantity); }
  void operator()(CurveFigure& figure) const {
    for (std::string* text : {&figure.curves.x_axis, &figure.curves.y_axis}) name(*text);
    for (auto& series : figure.curves.series) name(series.name);
    for (auto& reference : figure.curves.references) name(reference.name);
  }
  void operator()(BarFigure& figure) const {
    name(figure.bars.value_axis);
    labels(figure.bars.names);
    for (auto& series : figure.bars.series) name(series.name);
  }
  void operator()(DiagramFigure& figure) const {
    for (auto& box : figure.diagram.boxes) label(box.text), label(box.details);
    for (auto& arrow : figure.diagram.arrows) name(arrow.label);
  }
  void operator()(Animation& animation) const {
    for (Frame& frame : animation.frames) map(frame.map);
    name(animation.look.quantity);
  }
  template <class Other>
  void operator()(Other&) const {}

 private:
  void label(std::string& text) const { text = label_for(text, language_); }
  void name(std::string& text) const { text = name_for(text, language_); }
  void labels(std::vector<std::string>& texts) const {
    for (std::string& text : texts) label(text);
  }
  void map(render::AttentionMap& map) const {
    for (std::string* text : {&map.row_axis, &map.column_axis}) name(*text);
    for (auto& panel : map.panels) name(panel.title), labels(panel.rows), labels(panel.columns);
  }

  Language language_;
};

}  // namespace

Entry in_language(const Entry& entry, Language language) {
  Entry shown = entry;
  if (language != Language::kBoth) std::visit(Translator(language), shown);
  return shown;
}

}  // namespace attend::lessons
