#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "attend/core/errors.h"
#include "attend/render/html_map.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace test;

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The text of <script id="...">, up to the first </script> as a browser reads it.
std::string data_of(const std::string& html, const std::string& id) {
  const std::string start = "id=\"" + id + "\">";
  const size_t at = html.find(start);
  if (at == std::string::npos) return "";
  const size_t from = at + start.size();
  return html.substr(from, html.find("</script>", from) - from);
}

TEST(Html, EmbedsTheMapUnchanged) {
  for (const AttentionMap& map : {wide_map(), grid_map(2, 3), hostile_map(), AttentionMap()}) {
    const std::string html = map_to_html(map);
    EXPECT_EQ(nlohmann::json::parse(data_of(html, "attend-map")),
              nlohmann::json::parse(to_json(map)));
  }
}

TEST(Html, HostileTextEndsNoElement) {
  const std::string html = map_to_html(hostile_map());
  EXPECT_EQ(count(html, "<script"), count(map_to_html(wide_map()), "<script"));
  EXPECT_EQ(count(html, "</script>"), count(map_to_html(wide_map()), "</script>"));
  EXPECT_THAT(html, Not(HasSubstr("<b>rows")));
  EXPECT_THAT(html, HasSubstr("<title>&lt;/script&gt;"));
}

TEST(Html, LoadsNothingFromElsewhere) {
  const std::string html = map_to_html(wide_map());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(testing::ContainsRegex("(src|href)=\"?(https?:)?//")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_EQ(count(html, "http://"), count(html, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(count(html, "https://"), 0u);
}

TEST(Html, WithoutScriptThePictureIsThere) {
  const std::string html = map_to_html(wide_map());
  const size_t start = html.find("<noscript>");
  const std::string fallback = html.substr(start, html.find("</noscript>") - start);
  EXPECT_THAT(fallback, HasSubstr("<svg"));
  EXPECT_THAT(fallback, HasSubstr(">extraordinaire</text>"));
}

TEST(Html, LargeMapsShowTheFirstPanelOrSayWhy) {
  AttentionMap map;
  map.panels = {make_panel(numbered("a", 150), numbered("b", 150)),
                make_panel(numbered("c", 150), numbered("d", 150))};
  std::string html = map_to_html(map);
  EXPECT_THAT(html, HasSubstr("the first panel only"));
  EXPECT_THAT(html, HasSubstr(">b149</text>"));
  EXPECT_THAT(html, Not(HasSubstr(">d149</text>")));
  map.panels = {make_panel(numbered("a", 250), numbered("b", 250))};
  EXPECT_THAT(map_to_html(map), HasSubstr("too large to be shown without JavaScript"));
}

TEST(Html, ScalingIsHandedOn) {
  EXPECT_THAT(data_of(map_to_html(wide_map(), {Scaling::kMaximum}), "attend-settings"),
              HasSubstr("\"scaling\": \"maximum\""));
}

TEST(Html, UnsoundMapsAreRefused) {
  AttentionMap map = wide_map();
  map.panels[0].rows.pop_back();
  EXPECT_THROW(map_to_html(map), InvalidArgument);
}

TEST(Page, EscapesWhatIsText) {
  const std::string html = Page("<t>", "fr\"")
                               .subtitle("a & b")
                               .section("one", "<h>", "<p>markup</p>")
                               .data("d", "[\"</script>\"]")
                               .script("attendData('d');")
                               .style(".x { color: red; }")
                               .html();
  for (const char* part : {"<html lang=\"fr&quot;\">", "<title>&lt;t&gt;</title>", "a &amp; b",
                           "<h2>&lt;h&gt;</h2>", "<p>markup</p>", "[\"\\u003c/script\\u003e\"]",
                           ".x { color: red; }", "attendData('d');", "charset=\"utf-8\""})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(Page, WithoutScriptsHasNone) { EXPECT_THAT(Page("t").html(), Not(HasSubstr("<script"))); }

}  // namespace
}  // namespace attend::render
