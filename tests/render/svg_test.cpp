#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "attend/core/errors.h"
#include "attend/render/map_layout.h"
#include "attend/render/png.h"
#include "attend/render/svg_map.h"
#include "attend/render/text_metrics.h"
#include "tests/render/maps.h"
#include "tests/render/xml_check.h"

// What fontconfig keeps for the life of a process is no leak of ours. (Unused without a sanitizer.)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

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

AttentionMap large_map(int size) {
  AttentionMap map;
  map.panels.push_back(make_panel(numbered("mot", size), numbered("token", size)));
  // Noise is the worst case: no neighbours are equal.
  uint32_t state = 1;
  for (float& w : map.panels[0].weights) {
    state = state * 1664525u + 1013904223u;
    w = static_cast<float>(state >> 8) / 16777216.0f;
  }
  return map;
}

TEST(XmlChecker, FindsWhatIsWrong) {
  EXPECT_EQ(xml_problem("<a b=\"c\"><d/>x &amp; y</a>\n"), "");
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a b=c/>", "<a>&x</a>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>",
        "<a>\x01</a>", "<a b=\"<\"/>", "x<a/>", "<a>\xFF</a>"})
    EXPECT_NE(xml_problem(bad), "") << bad;
}

TEST(Svg, IsWellFormed) {
  AttentionMap empty_panels;
  empty_panels.panels = {make_panel({}, {"a"}), make_panel({"a"}, {}), make_panel({}, {})};
  AttentionMap one;
  one.panels = {make_panel({"a"}, {"b"})};
  for (const AttentionMap& map : {wide_map(), grid_map(2, 3), hostile_map(), AttentionMap(),
                                  empty_panels, one, large_map(70)}) {
    for (const Theme theme : {Theme::kAuto, Theme::kLight, Theme::kDark}) {
      SvgOptions options;
      options.theme = theme;
      EXPECT_EQ(xml_problem(map_to_svg(map, options)), "") << map.title;
    }
  }
}

TEST(Svg, HasLabelsTitlesAxesAndScale) {
  const std::string svg = map_to_svg(wide_map());
  for (const char* part :
       {">extraordinaire</text>", ">我</text>", ">👩‍👩‍👧</text>",
        ">aujourd&#39;hui</text>", ">cross-attention</text>", ">cross, layer 1</text>", "← target",
        "source →", ">0.0</text>", ">0.2</text>", ">1.0</text>", ">weight</text>",
        "source: 我今天看见了他。", "prefers-color-scheme:dark"})
    EXPECT_THAT(svg, HasSubstr(part));
}

TEST(Svg, EachCellShowsItsWeightOnHover) {
  const AttentionMap map = grid_map(1, 2);
  const std::string svg = map_to_svg(map);
  EXPECT_THAT(svg, HasSubstr("<title>le → the: 0.333</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>le → the: 0.667</title>"));
  EXPECT_EQ(count(svg, "<title>"), 1 + 2 * 9u);
}

TEST(Svg, CellsHaveTheColourOfTheirWeight) {
  AttentionMap map;
  map.panels = {make_panel({"a"}, {"b", "c"})};
  map.panels[0].weights = {0, 1};
  const std::string svg = map_to_svg(map);
  EXPECT_THAT(svg, HasSubstr("class=\"c0\"><title>a → b: 0.000"));
  EXPECT_THAT(svg, HasSubstr("class=\"c255\"><title>a → c: 1.000"));
  EXPECT_THAT(svg, HasSubstr(".am .c0{fill:" + hex(heat_colour(0, Background::kLight)) + "}"));
  EXPECT_THAT(svg, HasSubstr(".am .c0{fill:" + hex(heat_colour(0, Background::kDark)) + "}"));
}

TEST(Svg, OtherRangesAreSaid) {
  AttentionMap map = grid_map(1, 1);
  SvgOptions options;
  options.scaling = Scaling::kMaximum;
  EXPECT_THAT(map_to_svg(map, options), HasSubstr("the colours span the values of this picture"));
  EXPECT_THAT(map_to_svg(map), Not(HasSubstr("span")));
  map.panels[0].weights[0] = -5;
  EXPECT_THAT(map_to_svg(map), HasSubstr(">-5.000</text>"));
}

TEST(Svg, WhatIsNotFiniteIsMarked) {
  AttentionMap map = grid_map(1, 1);
  map.panels[0].weights[4] = std::numeric_limits<float>::quiet_NaN();
  const std::string svg = map_to_svg(map);
  EXPECT_THAT(svg, HasSubstr("class=\"na\"><title>chat → cat: not a number"));
  EXPECT_THAT(svg, HasSubstr(">×</text>"));
  EXPECT_THAT(svg, HasSubstr(">not a number</text>"));
}

TEST(Svg, TwoHundredTokensStaySmall) {
  const std::string svg = map_to_svg(large_map(200));
  EXPECT_LT(svg.size(), 1u << 20);
  EXPECT_THAT(svg, HasSubstr(">mot199</text>"));
  EXPECT_THAT(svg, HasSubstr(">token199</text>"));
}

/// Draws the paths again into levels and compares.
TEST(Svg, MergedCellsAreTheSameCells) {
  AttentionMap map = large_map(70);
  for (size_t i = 0; i < 3000; ++i) map.panels[0].weights[i] = i % 50 < 40 ? 0.f : 1.f;
  map.panels[0].weights[4000] = std::numeric_limits<float>::quiet_NaN();
  const std::string svg = map_to_svg(map);
  std::vector<int> drawn(70 * 70, -9);
  const std::regex path("<path class=\"(na|c[0-9]+)\" d=\"([^\"]*)\"");
  const std::regex run("M([0-9]+) ([0-9]+)h([0-9]+)v1h-([0-9]+)z");
  for (std::sregex_iterator p(svg.begin(), svg.end(), path), end; p != end; ++p) {
    const std::string name = (*p)[1];
    const int level = name == "na" ? -1 : std::stoi(name.substr(1));
    const std::string d = (*p)[2];
    for (std::sregex_iterator r(d.begin(), d.end(), run); r != end; ++r) {
      EXPECT_EQ((*r)[3], (*r)[4]);
      for (int c = 0; c < std::stoi((*r)[3]); ++c) {
        int& cell = drawn[static_cast<size_t>(std::stoi((*r)[2]) * 70 + std::stoi((*r)[1]) + c)];
        EXPECT_EQ(cell, -9) << "drawn twice";
        cell = level;
      }
    }
  }
  for (size_t i = 0; i < drawn.size(); ++i)
    EXPECT_EQ(drawn[i], (ValueScale{0, 1}.level(map.panels[0].weights[i]))) << i;
}

TEST(Svg, TooLargeIsRefused) {
  AttentionMap map;
  map.panels.resize(1);
  map.panels[0].rows.resize(2001);
  map.panels[0].columns.resize(2001);
  map.panels[0].weights.resize(2001 * 2001);
  EXPECT_THROW(map_to_svg(map), InvalidArgument);
}

TEST(Layout, LabelsAreInsideThePicture) {
  for (const bool alone : {true, false}) {
    for (const int size : {1, 3, 30, 100}) {
      MapPanel panel =
          make_panel(numbered("extraordinairement", size), numbered("今天早上好", size));
      const PanelLayout layout = layout_panel(panel, alone, 0);
      const double last = layout.matrix_x + (size - 0.5) * layout.cell;
      const double reach = kSlant * layout.font * text_width_em(layout.columns.back().label);
      EXPECT_LE(last + reach, layout.width) << size;
      EXPECT_LE(reach, layout.matrix_y) << size;
      EXPECT_LE(layout.font * text_width_em(layout.rows.back().label), layout.matrix_x) << size;
      for (size_t i = 1; i < layout.rows.size(); ++i)
        EXPECT_GE((layout.rows[i].place - layout.rows[i - 1].place) * layout.cell, layout.font)
            << "labels run into each other";
    }
  }
}

TEST(Layout, EveryWordOfASentenceKeepsItsLabelBesideOtherPanels) {
  for (const int size : {22, 31, 48}) {
    const MapPanel panel = make_panel(numbered("mot", size), numbered("word", size));
    const PanelLayout layout = layout_panel(panel, false, 0);
    EXPECT_EQ(layout.columns.size(), static_cast<size_t>(size));
    EXPECT_EQ(layout.rows.size(), static_cast<size_t>(size));
    EXPECT_FALSE(layout.omits_labels);
  }
  AttentionMap map;
  for (int head = 0; head < 4; ++head)
    map.panels.push_back(make_panel(numbered("mot", 31), numbered("word", 31)));
  EXPECT_THAT(map_to_svg(map), Not(HasSubstr("left out")));
  EXPECT_EQ(count(map_to_svg(map), ">word1</text>"), 4u);  // the second, once dropped
  EXPECT_EQ(count(map_to_svg(map), ">mot29</text>"), 4u);
  // A hundred would make the picture too wide.
  EXPECT_TRUE(
      layout_panel(make_panel(numbered("a", 100), numbered("b", 100)), false, 0).omits_labels);
}

TEST(Layout, ManyNumbersGiveWayToRoundOnes) {
  std::vector<std::string> numbers;
  for (int i = 0; i < 100; ++i) numbers.push_back(std::to_string(i * 0.05));
  const PanelLayout layout = layout_panel(make_panel(numbered("q", 5), numbers), true, 4);
  ASSERT_GE(layout.columns.size(), 3u);
  EXPECT_LT(layout.columns.size(), 20u);
  EXPECT_EQ(layout.columns[1].label, "1");
  EXPECT_NEAR(layout.columns[1].place, 20.5, 1e-6);  // the cell of 1.00
  EXPECT_FALSE(layout.slanted);
  EXPECT_TRUE(layout.omits_labels);  // of the rows, which are no numbers
}

TEST(Svg, SignedMatricesHaveTheirOwnColoursAndUnit) {
  AttentionMap map;
  map.panels.resize(1);
  map.panels[0].rows = {"a"};
  map.panels[0].columns = {"b", "c"};
  map.panels[0].weights = {-3, 1};
  SvgOptions options;
  options.scaling = Scaling::kDiverging;
  options.quantity = "score (nats)";
  const std::string svg = map_to_svg(map, options);
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* part : {"class=\"d0\"", ">-3.000</text>", ">3.000</text>", "score (nats)"})
    EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"c")));
}

TEST(Layout, GridIsLayersByHeads) {
  EXPECT_EQ(grid_columns(grid_map(2, 4)), 4u);
  EXPECT_EQ(grid_columns(grid_map(1, 1)), 2u);
  AttentionMap ragged = grid_map(2, 4);
  ragged.panels.pop_back();
  EXPECT_EQ(grid_columns(ragged), 4u);  // 7 panels, about square
  EXPECT_LE(grid_columns(grid_map(12, 16)), 8u);
}

TEST(Png, DrawsWhatTheSvgSays) {
  if (!has_png()) {
    EXPECT_THROW(map_to_png(wide_map()), InvalidArgument);
    GTEST_SKIP() << "this build has no librsvg";
  }
  for (const AttentionMap& map : {wide_map(), hostile_map(), AttentionMap(), large_map(70)}) {
    const std::string png = map_to_png(map);
    ASSERT_GT(png.size(), 1000u);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  }
}

TEST(Png, ScaleGivesTheSize) {
  if (!has_png()) GTEST_SKIP() << "this build has no librsvg";
  const std::string svg = SvgWriter(Theme::kLight).document(100, 50, "x");
  const auto size_of = [](const std::string& png, size_t at) {
    return (static_cast<unsigned char>(png[at + 2]) << 8) + static_cast<unsigned char>(png[at + 3]);
  };
  const std::string png = svg_to_png(svg, 2.5);
  EXPECT_EQ(size_of(png, 16), 250);
  EXPECT_EQ(size_of(png, 20), 125);
  EXPECT_THROW(svg_to_png(svg, 0), InvalidArgument);
  EXPECT_THROW(svg_to_png(svg, std::nan("")), InvalidArgument);
  EXPECT_THROW(svg_to_png("<svg", 1), DataError);
  EXPECT_THROW(svg_to_png(SvgWriter(Theme::kLight).document(20000, 20000, "x"), 2),
               InvalidArgument);
}

}  // namespace
}  // namespace attend::render
