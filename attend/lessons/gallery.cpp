#include "attend/lessons/gallery.h"

#include "attend/lessons/notebook_files.h"
#include "attend/lessons/page_parts.h"
#include "attend/render/escape.h"

namespace attend::lessons {
namespace {

constexpr const char* kStyle = R"css(
body { max-width: 84rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
.card { display: block; background: var(--panel); border: 1px solid var(--rule);
  border-radius: .5rem; padding: .8rem; color: inherit; text-decoration: none; }
.card:hover { border-color: var(--accent); } .card h2 { margin: .5rem 0 .2rem; font-size: 1rem; }
.card p { margin: .2rem 0; color: var(--dim); font-size: .9rem; }
.thumbnail { height: 11rem; display: flex; justify-content: center; overflow: hidden; }
.thumbnail svg { max-width: 100%; height: 100%; } .thumbnail .am .bg { fill: none; }
)css";

// A picture that scales to its card: the viewBox gives the sides, so the width attribute goes.
std::string thumbnail(std::string svg) {
  const size_t begin = svg.find(" width=\"");
  if (begin != std::string::npos && begin < svg.find('>'))
    svg.erase(begin, svg.find("viewBox", begin) - begin - 1);
  return "<div class=\"thumbnail\" aria-hidden=\"true\">" + svg + "</div>\n";
}

}  // namespace

std::string gallery_page(const std::vector<Card>& cards, const Bilingual& note, Language language) {
  const Bilingual title{"Attention, lesson by lesson", "注意力机制，一课一课地看"};
  render::Page page(one_line(title, language), language_code(language));
  page.header("<h1>" + inline_markup(title) + "</h1>\n");
  page.style(lesson_style() + kStyle);
  page.script(language_script(language));
  std::string body = language_switch() + bilingual_markup("p", note) + "<div class=\"cards\">\n";
  for (const Card& card : cards) {
    const Bilingual heading{std::to_string(card.name.number) + "  " + card.name.title.en,
                            card.name.title.zh};
    body += "<a class=\"card\" href=\"" + render::escape_xml(file_stem(card.name)) + ".html\">\n" +
            (card.picture.empty() ? "" : thumbnail(card.picture)) +
            bilingual_markup("h2", heading) + bilingual_markup("p", card.name.summary) + "</a>\n";
  }
  page.section("lessons", "", body + "</div>");
  return page.html();
}

}  // namespace attend::lessons
