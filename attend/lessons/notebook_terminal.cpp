#include "attend/lessons/notebook_terminal.h"

#include <algorithm>
#include <set>

#include "attend/lessons/in_language.h"
#include "attend/lessons/step_text.h"
#include "attend/lessons/table_text.h"
#include "attend/render/terminal_line.h"
#include "attend/render/text_metrics.h"

namespace attend::lessons {
namespace {

class TerminalWriter {
 public:
  explicit TerminalWriter(const TerminalLook& look) : look_(look) {}

  std::string take() { return std::move(out_); }

  void begin(const LessonName& name) {
    for (const auto& title : versions(name.title)) line(std::to_string(name.number) + "  " + title);
    line(std::string(static_cast<size_t>(std::min(look_.width, 72)), '='));
    paragraphs(name.summary, "");
  }

  void operator()(const Heading& heading) {
    blank();
    for (const auto& text : versions(heading.text)) line("## " + text);
  }

  void operator()(const Say& say) {
    blank();
    paragraphs(say.text, "");
  }

  void operator()(const Notice& notice) {
    blank();
    paragraphs(notice.text, is_ascii() ? "! " : "▸ ");
  }

  void operator()(const Step& step) {
    blank();
    line(step.formula + "   " + name_for(shape_text(step), look_.language));
    paragraphs(step.note, "  ");
    for (const auto& row : number_rows(step)) number_line(row);
  }

  void operator()(const Table& table) {
    caption(table.caption);
    for (const auto& row : table_lines(table, look_.width - 2)) line("  " + row);
  }

  void operator()(const MapFigure& figure) {
    caption(figure.caption);
    draw(figure.map, figure.look);
  }

  void operator()(const CurveFigure& figure) {
    caption(figure.caption);
    out_ += render::curves_to_terminal(figure.curves, curve_options());
  }

  void operator()(const BarFigure& figure) {
    caption(figure.caption);
    out_ += render::bars_to_terminal(figure.bars, curve_options());
  }

  void operator()(const DiagramFigure& figure) {
    caption(figure.caption);
    out_ += render::diagram_to_terminal(figure.diagram, curve_options());
  }

  void operator()(const Animation& animation) {
    caption(animation.caption);
    const size_t last = animation.frames.size() - 1;
    for (const size_t i : std::set<size_t>{0, last / 2, last}) {
      line("[" + animation.frames[i].label + "]");
      draw(animation.frames[i].map, animation.look);
    }
  }

  void operator()(const Viewer& viewer) { on_the_page(viewer.caption); }
  void operator()(const Panel& panel) { on_the_page(panel.caption); }

 private:
  bool is_ascii() const { return look_.colour == render::TerminalColour::kAscii; }

  std::vector<std::string> versions(const Bilingual& text) const {
    std::vector<std::string> out;
    if (shows_english(look_.language) && !text.en.empty()) out.push_back(text.en);
    if (shows_chinese(look_.language) && !text.zh.empty()) out.push_back(text.zh);
    return out;
  }

  void blank() { out_ += "\n"; }
  void line(const std::string& text) { out_ += text + "\n"; }

  /// Each language's text, wrapped, the first line behind `mark` and the others as far in.
  void paragraphs(const Bilingual& text, const std::string& mark) {
    const int indent = render::display_width(mark);
    for (const auto& version : versions(text)) {
      bool first = true;
      for (const auto& wrapped :
           render::wrap(render::printable(version), std::max(look_.width - indent, 20),
                        [](std::string_view cluster) {
                          return static_cast<double>(render::display_width(cluster));
                        })) {
        line((first ? mark : std::string(static_cast<size_t>(indent), ' ')) + wrapped);
        first = false;
      }
    }
  }

  /// A row of numbers, broken between two where it is too long.
  void number_line(std::string row) {
    std::string indent = "    ";
    while (static_cast<int>(indent.size() + row.size()) > look_.width) {
      const size_t most = static_cast<size_t>(look_.width) - indent.size();
      size_t cut = row.rfind("  ", most);
      if (cut == std::string::npos || row.find_first_not_of(' ') > cut) break;
      line(indent + row.substr(0, cut));
      indent = "      ";
      row.erase(0, cut + 2);
    }
    line(row.empty() ? "" : indent + row);
  }

  void caption(const Bilingual& text) {
    blank();
    paragraphs(text, "");
  }

  void on_the_page(const Bilingual& text) {
    caption(text);
    paragraphs({"(This moves on the lesson's page, which --out writes.)",
                "（用 --out 写出的网页上，这一部分可以交互。）"},
               "  ");
  }

  void draw(const render::AttentionMap& map, const MapLook& look) {
    out_ += render::map_to_terminal(
        map, {look_.width, look_.colour, look_.background, look.scaling, look.quantity});
  }

  render::CurveTerminalOptions curve_options() const {
    return {std::min(look_.width, 100), 18, look_.colour, look_.background};
  }

  const TerminalLook& look_;
  std::string out_;
};

}  // namespace

std::string to_terminal(const LessonName& name, const Notebook& book, const TerminalLook& look) {
  TerminalWriter writer(look);
  writer.begin(name);
  for (const Entry& entry : book.entries()) std::visit(writer, in_language(entry, look.language));
  return writer.take();
}

}  // namespace attend::lessons
