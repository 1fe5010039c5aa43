#include "attend/lessons/notebook_files.h"

#include <fmt/format.h>

#include "attend/lessons/figure_svg.h"
#include "attend/lessons/in_language.h"
#include "attend/lessons/page_parts.h"
#include "attend/render/escape.h"
#include "attend/render/html_map.h"
#include "attend/render/page.h"

namespace attend::lessons {
namespace {

class PageWriter {
 public:
  /// `head`: what stands first.
  PageWriter(render::Page& page, std::string head) : page_(page), markup_(std::move(head)) {}

  void write(const Notebook& book, Language language) {
    for (const Entry& entry : book.entries()) {
      const bool switches = std::holds_alternative<Table>(entry);  // with the page's language
      std::visit(*this, switches ? entry : in_language(entry, language));
    }
  }

  /// What was written since the last one becomes a section.
  void end_section() {
    page_.section(sections_ == 0 ? "lesson" : "lesson-" + std::to_string(sections_ + 1), "",
                  markup_);
    markup_.clear();
    ++sections_;
  }

  void operator()(const Heading& heading) { markup_ += bilingual_markup("h2", heading.text); }
  void operator()(const Say& say) { markup_ += bilingual_markup("p", say.text); }
  void operator()(const Notice& notice) {
    markup_ += "<aside>" + bilingual_markup("p", notice.text) + "</aside>\n";
  }
  void operator()(const Step& step) { markup_ += step_markup(step); }
  void operator()(const Table& table) { markup_ += table_markup(table); }
  void operator()(const Animation& animation) {
    const std::string id = next_id();
    page_.data(id, animation_json(animation));
    add_moving(id, animation.caption,
               "<div class=\"scroll\">" + shrinking(figure_svg(animation, "")) + "</div>");
    page_.script("attendAnimation('" + id + "');");
  }
  void operator()(const Viewer& viewer) {
    markup_ += bilingual_markup("figcaption", viewer.caption);
    end_section();
    render::add_map_viewer(page_, viewer.map);
  }
  void operator()(const Panel& panel) {
    const std::string id = next_id();
    page_.data(id, panel_json(panel));
    add_moving(id, panel.caption,
               bilingual_markup("p", {"This part needs JavaScript.", "这一部分需要 JavaScript。"}));
    page_.script(panel_script(panel, id));
  }
  template <class Figure>
  void operator()(const Figure& figure) {
    markup_ += "<figure>" + bilingual_markup("figcaption", figure.caption) +
               "<div class=\"scroll\">" + shrinking(figure_svg(Entry(figure), "")) +
               "</div></figure>\n";
  }

 private:
  std::string next_id() {
    if (moving_ == 0) add_moving_parts(page_);
    return "live-" + std::string(1, static_cast<char>('a' + moving_++));
  }

  void add_moving(const std::string& id, const Bilingual& caption, const std::string& without) {
    markup_ += "<div class=\"panel\">" + bilingual_markup("figcaption", caption) + "<div id=\"" +
               id + "-view\"></div><noscript>" + without + "</noscript></div>\n";
  }

  render::Page& page_;
  std::string markup_;
  int moving_ = 0;
  int sections_ = 0;
};

}  // namespace

std::string file_stem(const LessonName& name) {
  return fmt::format("{:02}-{}", name.number, name.slug);
}

std::string to_page(const LessonName& name, const Notebook& book, Language language,
                    bool in_gallery) {
  const std::string number = std::to_string(name.number) + "  ";
  render::Page page(number + one_line(name.title, language), language_code(language));
  page.header(header_markup(number, name));
  page.style(lesson_style());
  page.script(language_script(language));
  const std::string back =
      "<a href=\"index.html\">← " + inline_markup({"all lessons", "全部课程"}) + "</a>\n";
  PageWriter writer(page, language_switch() + (in_gallery ? back : ""));
  writer.write(book, language);
  writer.end_section();
  return page.html();
}

std::vector<std::pair<std::string, std::string>> to_pictures(const LessonName& name,
                                                             const Notebook& book,
                                                             Language language) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const Entry& entry : book.entries()) {
    const auto caption = figure_caption(entry);
    if (!caption) continue;
    files.emplace_back(fmt::format("{}-{}.svg", file_stem(name), files.size() + 1),
                       figure_svg(in_language(entry, language), one_line(*caption, language)));
  }
  return files;
}

}  // namespace attend::lessons
