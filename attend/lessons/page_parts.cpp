#include "attend/lessons/page_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/lessons/assets.h"
#include "attend/lessons/step_text.h"
#include "attend/render/colour.h"
#include "attend/render/escape.h"

namespace attend::lessons {
namespace {

using nlohmann::json;
using render::Background;
using render::escape_xml;
using render::Palette;

constexpr const char* kStyle = R"css(
body { max-width: 56rem; }
figure, .panel { margin: 1.2rem 0; } figcaption { font-weight: 600; margin: 0 0 .4rem; }
figcaption + figcaption { margin-top: -.3rem; } h2 + h2 { margin-top: -.4rem; }
.languages { float: right; margin: 0 0 .4rem .8rem; }
aside { border-left: 4px solid var(--accent); padding: .1rem 0 .1rem .9rem; margin: 1rem 0; }
aside p { margin: .3rem 0; } p { margin: .6rem 0; }
.step { margin: 1rem 0; } .step code { font-size: 1rem; overflow-wrap: anywhere; } .shape { color: var(--accent);
  margin-left: .8rem; font-variant-numeric: tabular-nums; }
pre { background: var(--panel); padding: .6rem .9rem; border-radius: .3rem; overflow-x: auto;
  margin: .3rem 0; font-size: .9rem; line-height: 1.35; }
.note { color: var(--dim); margin: 0; }
.only-en [lang=zh], .only-zh [lang=en], .only-en .both, .only-zh .both { display: none; }
table { border-collapse: collapse; } th, td { padding: .2rem .9rem .2rem 0; text-align: left;
  border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums; }
.panel { background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem;
  padding: .9rem; }
.controls { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: .5rem 0; }
.controls label { display: flex; align-items: center; gap: .5rem; }
.controls output { min-width: 3rem; font-variant-numeric: tabular-nums; }
.result { font-variant-numeric: tabular-nums; flex-basis: 100%; margin: 0; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; } .pictures figure { margin: .4rem 0;
  max-width: 100%; }
.panel .scroll { --ground: var(--panel); } svg { max-width: 100%; height: auto; }
svg.live text { fill: var(--ink); font-size: 12px; }
svg.live .dim { fill: var(--dim); } svg.live .rule { stroke: var(--rule); }
svg.live .edge { stroke: var(--dim); }
)css";

std::string colours(Background background) {
  std::string css;
  for (size_t i = 0; i < 8; ++i) {
    const std::string colour = hex(render::series_colour(i, background));
    css += fmt::format(
        "svg.live .l{0} {{ fill: none; stroke: {1}; stroke-width: 2; }}\n"
        "svg.live .f{0} {{ fill: {1}; }}\n",
        i, colour);
  }
  return css;
}

json palette_json(Palette palette) {
  json both = json::array();
  for (const auto background : {Background::kLight, Background::kDark}) {
    json one = json::array();
    for (const auto colour : render::palette(palette, background)) one.push_back(hex(colour));
    both.push_back(one);
  }
  return both;
}

// "1" where black reads better on the colour, a digit for each of the palette.
json ink_json(Palette palette) {
  json both = json::array();
  for (const auto background : {Background::kLight, Background::kDark}) {
    std::string ink;
    for (const auto colour : render::palette(palette, background))
      ink += render::text_colour_on(colour) == render::Rgb{0, 0, 0} ? '1' : '0';
    both.push_back(ink);
  }
  return both;
}

json bilingual_json(const Bilingual& text) { return {{"en", text.en}, {"zh", text.zh}}; }

// Text with what stands between two backticks as code.
std::string text_markup(const std::string& text) {
  std::string out = escape_xml(text);
  size_t open = 0, close = 0;
  while ((open = out.find('`')) != std::string::npos &&
         (close = out.find('`', open + 1)) != std::string::npos) {
    out.replace(close, 1, "</code>");
    out.replace(open, 1, "<code>");
  }
  return out;
}

std::string with_language(const std::string& element, const char* language,
                          const std::string& text) {
  return fmt::format("<{0} lang=\"{1}\">{2}</{0}>", element, language, text_markup(text));
}

// A label that may have both languages in it.
std::string label_markup(const Bilingual& parts) {
  return parts.zh.empty() ? text_markup(parts.en) : inline_markup(parts, " ");
}

// Three decimals are more than colours show, and keep pages small.
json rounded(float value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 1000.0) / 1000.0;
}

json matrix_json(const render::MapPanel& panel) {
  json rows = json::array();
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    json row = json::array();
    for (size_t c = 0; c < panel.columns.size(); ++c)
      row.push_back(rounded(panel.weights[r * panel.columns.size() + c]));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::string bilingual_markup(const std::string& element, const Bilingual& text) {
  std::string out;
  if (!text.en.empty()) out += with_language(element, "en", text.en) + "\n";
  if (!text.zh.empty()) out += with_language(element, "zh", text.zh) + "\n";
  return out;
}

std::string inline_markup(const Bilingual& text, const std::string& between) {
  const bool is_both = !text.en.empty() && !text.zh.empty();
  return (text.en.empty() ? "" : with_language("span", "en", text.en)) +
         (is_both ? "<span class=\"both\">" + between + "</span>" : "") +
         (text.zh.empty() ? "" : with_language("span", "zh", text.zh));
}

std::string header_markup(const std::string& before, const LessonName& name) {
  return "<h1>" + escape_xml(before) + inline_markup(name.title) + "</h1>\n<p class=\"subtitle\">" +
         inline_markup(name.summary) + "</p>\n";
}

std::string shrinking(std::string svg) {
  const std::string attribute = " width=\"";
  const size_t at = svg.find(attribute);
  if (at == std::string::npos) return svg;
  const double width = std::strtod(svg.c_str() + at + attribute.size(), nullptr);
  return svg.insert(at, fmt::format(" style=\"min-width:{:.0f}px\"", 0.6 * width));
}

std::string step_markup(const Step& step) {
  std::string out = "<div class=\"step\"><code>" + escape_xml(step.formula) +
                    "</code><span class=\"shape\">" + label_markup(name_parts(shape_text(step))) +
                    "</span>\n";
  std::string notes = bilingual_markup("p", step.note);
  for (size_t at = 0; (at = notes.find("<p ", at)) != std::string::npos; at += 3)
    notes.insert(at + 2, " class=\"note\"");
  out += notes;
  const auto rows = number_rows(step);
  if (!rows.empty()) {
    out += "<pre>";
    for (size_t i = 0; i < rows.size(); ++i) out += (i > 0 ? "\n" : "") + escape_xml(rows[i]);
    out += "</pre>";
  }
  return out + "</div>\n";
}

std::string table_markup(const Table& table) {
  std::string out =
      bilingual_markup("figcaption", table.caption) + "<div class=\"scroll\"><table>\n";
  const auto row = [&](const std::vector<std::string>& cells, const char* element) {
    const bool is_heading = &cells == &table.columns;
    out += "<tr>";
    for (const auto& cell : cells)
      out += fmt::format("<{0}>{1}</{0}>", element,
                         label_markup(is_heading ? name_parts(cell) : label_parts(cell)));
    out += "</tr>\n";
  };
  row(table.columns, "th");
  for (const auto& cells : table.rows) row(cells, "td");
  return "<figure>" + out + "</table></div></figure>\n";
}

std::string language_switch() {
  return "<div class=\"languages\"><button data-language=\"both\">EN+中</button> "
         "<button data-language=\"en\">EN</button> "
         "<button data-language=\"zh\">中文</button></div>\n";
}

const char* language_code(Language language) {
  return language == Language::kChinese ? "zh" : "en";
}

std::string language_script(Language first) {
  const char* name = first == Language::kBoth ? "both" : first == Language::kEnglish ? "en" : "zh";
  return fmt::format(
      "const choose = name => {{\n"
      "  document.body.className = name === 'both' ? '' : `only-${{name}}`;\n"
      "  document.documentElement.lang = name === 'zh' ? 'zh' : 'en';\n"
      "  document.dispatchEvent(new Event('attend-language'));\n"
      "}};\n"
      "for (const button of document.querySelectorAll('[data-language]'))\n"
      "  button.addEventListener('click', () => choose(button.dataset.language));\n"
      "choose('{}');",
      name);
}

std::string lesson_style() { return kStyle; }

void add_moving_parts(render::Page& page) {
  page.style(colours(Background::kLight) + "@media (prefers-color-scheme: dark) {\n" +
             colours(Background::kDark) + "}\n");
  const json look = {
      {"heat", palette_json(Palette::kHeat)},
      {"diverging", palette_json(Palette::kDiverging)},
      {"ink", json::array({ink_json(Palette::kHeat), ink_json(Palette::kDiverging)})}};
  page.data("attend-look", look.dump());
  page.script(asset("panel"));
}

std::string panel_json(const Panel& panel) {
  json controls = json::array();
  for (const Control& c : panel.controls)
    controls.push_back({{"key", c.key},
                        {"label", bilingual_json(c.label)},
                        {"minimum", c.minimum},
                        {"maximum", c.maximum},
                        {"step", c.step},
                        {"value", c.value},
                        {"choices", c.choices}});
  return json{{"controls", controls}, {"data", json::parse(panel.data)}}.dump();
}

std::string panel_script(const Panel& panel, const std::string& id) {
  return std::string(asset(panel.script)) + "attendPanel('" + id + "', compute);";
}

std::string animation_json(const Animation& animation) {
  const render::AttentionMap& first = animation.frames.front().map;
  json panels = json::array();
  for (const auto& panel : first.panels)
    panels.push_back({{"title", panel.title}, {"rows", panel.rows}, {"columns", panel.columns}});
  json frames = json::array();
  // One scale for all frames: what changes is the map, not what a colour means.
  render::AttentionMap all;
  for (const Frame& frame : animation.frames)
    all.panels.insert(all.panels.end(), frame.map.panels.begin(), frame.map.panels.end());
  const auto scale = render::ValueScale::of(all, animation.look.scaling);
  for (const Frame& frame : animation.frames) {
    json one = {{"label", frame.label}, {"weights", json::array()}};
    for (const auto& panel : frame.map.panels) one["weights"].push_back(matrix_json(panel));
    frames.push_back(one);
  }
  return json{{"panels", panels},
              {"frames", frames},
              {"row_axis", first.row_axis},
              {"column_axis", first.column_axis},
              {"quantity", animation.look.quantity},
              {"size", scale.high},
              {"signed", scale.palette == Palette::kDiverging}}
      .dump();
}

}  // namespace attend::lessons
