#include "attend/render/html_map.h"

#include "attend/core/errors.h"
#include "attend/render/check.h"
#include "attend/render/colour.h"
#include "attend/render/escape.h"
#include "attend/render/svg_map.h"
#include "attend/render/viewer_assets.h"

namespace attend::render {
namespace {

constexpr size_t kMostStaticCells = 40'000;

std::string palette_json(Background background) {
  std::string out = "[";
  for (const Rgb colour : heat_palette(background)) out += json_string(hex(colour)) + ",";
  out.back() = ']';
  return out;
}

std::string settings_json(const HtmlOptions& options) {
  return "{\"light\": " + palette_json(Background::kLight) +
         ", \"dark\": " + palette_json(Background::kDark) +
         ", \"missingLight\": " + json_string(hex(missing_colour(Background::kLight))) +
         ", \"missingDark\": " + json_string(hex(missing_colour(Background::kDark))) +
         ", \"scaling\": " + (options.scaling == Scaling::kMaximum ? "\"maximum\"" : "\"unit\"") +
         "}";
}

size_t cell_count(const AttentionMap& map) {
  size_t cells = 0;
  for (const MapPanel& panel : map.panels) cells += panel.weights.size();
  return cells;
}

/// What a browser without JavaScript shows.
std::string static_picture(const AttentionMap& map, const HtmlOptions& options) {
  SvgOptions svg;
  svg.scaling = options.scaling;
  svg.captions = false;
  const auto picture = [&svg](const AttentionMap& shown) {
    return "<div class=\"scroll\">" + map_to_svg(shown, svg) + "</div>\n";
  };
  if (cell_count(map) <= kMostStaticCells) return picture(map);
  AttentionMap first = map;
  first.panels.resize(1);
  const std::string note = "<p>Without JavaScript this page shows the first panel only.</p>\n";
  if (cell_count(first) <= kMostStaticCells) return note + picture(first);
  return "<p>This map is too large to be shown without JavaScript.</p>";
}

}  // namespace

void add_map_viewer(Page& page, const AttentionMap& map, const HtmlOptions& options) {
  check_map(map, "html");
  page.style(kViewerStyle);
  page.data("attend-map", to_json(map));
  page.data("attend-settings", settings_json(options));
  page.section(
      "map", "",
      std::string(kViewerMarkup) + "<noscript>\n" + static_picture(map, options) + "</noscript>");
  page.script(std::string(kViewerDrawing) + kViewerPointing);
}

std::string map_to_html(const AttentionMap& map, const HtmlOptions& options) {
  Page page(map.title.empty() ? "Attention map" : map.title);
  std::string texts = map.source;
  if (!map.target.empty()) texts += (texts.empty() ? "" : " → ") + map.target;
  page.subtitle(texts);
  add_map_viewer(page, map, options);
  return page.html();
}

}  // namespace attend::render
