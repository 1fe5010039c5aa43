#include "attend/render/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/curve_axes.h"
#include "attend/render/text_metrics.h"
#include "tests/render/maps.h"
#include "tests/render/xml_check.h"

namespace attend::render {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace test;

Curves losses() {
  Curves curves;
  curves.title = "training <loss>";
  curves.x_axis = "epoch";
  curves.y_axis = "loss (nats per token)";
  Series train{"train", {}, {}};
  Series valid{"tenue à l'écart & 验证", {}, {}};
  for (int i = 1; i <= 100; ++i) {
    train.x.push_back(i);
    train.y.push_back(0.2 + 3 * std::exp(-i / 15.0));
    if (i % 10 != 0) continue;
    valid.x.push_back(i);
    valid.y.push_back(1 + 2 * std::exp(-i / 15.0));
  }
  curves.series = {train, valid};
  curves.references = {{"floor", 0.16}};
  return curves;
}

TEST(CurveAxes, HoldAllPointsAndReferences) {
  const CurveAxes axes = curve_axes(losses());
  EXPECT_EQ(axes.y.low, 0);  // a loss near zero is seen against zero
  EXPECT_GT(axes.y.high, 3.0);
  EXPECT_EQ(axes.x.low, 1);
  EXPECT_EQ(axes.x.high, 100);
  EXPECT_FALSE(axes.empty);
}

TEST(CurveAxes, WhatCannotBeDrawnCountsForNothing) {
  Curves curves;
  curves.log_y = true;
  curves.series = {{"a", {1, 2, 3, 4, std::nan("")}, {0, -1, 5, INFINITY, 1}}};
  curves.references = {{"zero", 0}};
  const CurveAxes axes = curve_axes(curves);
  EXPECT_FALSE(axes.empty);
  EXPECT_GT(axes.y.low, 0);
  EXPECT_LT(axes.y.high, 100);
  EXPECT_EQ(axes.y.fraction(axes.y.low), 0);
  EXPECT_DOUBLE_EQ(axes.y.fraction(axes.y.high), 1);
}

TEST(CurveAxes, UnevenSeriesAreRefused) {
  Curves curves;
  curves.series = {{"bad", {1, 2}, {1}}};
  EXPECT_THROW(curves_to_svg(curves), InvalidArgument);
  EXPECT_THROW(curves_to_terminal(curves), InvalidArgument);
}

TEST(CurvesSvg, HasNamesTicksAndReference) {
  const std::string svg = curves_to_svg(losses());
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* part :
       {">training &lt;loss&gt;</text>", ">train</text>", ">floor (0.160)</text>",
        ">tenue à l&#39;écart &amp; 验证</text>", ">epoch</text>", ">100</text>",
        ">loss (nats per token)</text>", ">3</text>", "class=\"ref\""})
    EXPECT_THAT(svg, HasSubstr(part));
}

TEST(CurvesSvg, GapsInterruptTheLine) {
  Curves curves;
  curves.series = {{"a", {1, 2, 3, 4}, {1, std::nan(""), 2, 3}}};
  const std::string svg = curves_to_svg(curves);
  const size_t at = svg.find("<path d=\"");
  const std::string path = svg.substr(at, svg.find("\" class", at) - at);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 1);
}

TEST(CurvesSvg, EmptyAndSmallestArePictures) {
  Curves curves;
  EXPECT_EQ(xml_problem(curves_to_svg(curves)), "");
  EXPECT_THAT(curves_to_svg(curves), HasSubstr("no points yet"));
  curves.series = {{"one", {3}, {2.5}}, {"flat", {1, 2}, {0, 0}}, {"none", {}, {}}};
  const std::string svg = curves_to_svg(curves, {1, 1, Theme::kDark});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, HasSubstr("<circle"));
}

TEST(CurvesSvg, PointsAreMarkersWithoutALine) {
  Curves curves;
  curves.series = {{"line", {1, 2}, {1, 2}}, {"data", {1, 2, 3}, {3, 1, 2}, true}};
  const std::string svg = curves_to_svg(curves);
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("class=\"s0\""));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"s1\"")));
  size_t markers = 0;
  for (size_t at = 0; (at = svg.find("class=\"m1\"", at)) != std::string::npos; ++at) ++markers;
  EXPECT_EQ(markers, 4u);  // three points and the legend
}

TEST(CurvesTerminal, PointsAreNotJoined) {
  Curves curves;
  curves.series = {{"data", {0, 10}, {0, 10}, true}};
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  const std::string text = curves_to_terminal(curves, options);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'o'), 3);  // two points and the legend
}

TEST(CurveAxes, LogarithmicInX) {
  Curves curves;
  curves.log_x = true;
  curves.series = {{"a", {0, 1, 10, 100}, {5, 1, 2, 3}}};
  const CurveAxes axes = curve_axes(curves);
  EXPECT_DOUBLE_EQ(axes.x.low, 1);  // 0 has no place
  EXPECT_DOUBLE_EQ(axes.x.fraction(10), 0.5);
  EXPECT_LT(axes.y.high, 4);
}

TEST(CurvesTerminal, Goldens) {
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  std::string text = curves_to_terminal(losses(), options);
  EXPECT_EQ(text, golden("curves_ascii.txt", text));
  options.colour = TerminalColour::kTrueColour;
  Curves logarithmic = losses();
  logarithmic.log_y = true;
  text = curves_to_terminal(logarithmic, options);
  EXPECT_EQ(text, golden("curves_log_true.txt", text));
}

TEST(CurvesTerminal, NoLineIsWiderThanAsked) {
  Curves curves = losses();
  curves.series[0].name = std::string(200, 'n');
  curves.x_axis = std::string(200, 'x');
  for (int width = 30; width < 120; width += 9) {
    CurveTerminalOptions options;
    options.width = width;
    options.colour = TerminalColour::kAscii;
    for (const std::string& line : core::split_lines(curves_to_terminal(curves, options)))
      EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(CurvesTerminal, EmptyAndSmallest) {
  CurveTerminalOptions options{1, 1, TerminalColour::kAscii, Background::kDark};
  EXPECT_THAT(curves_to_terminal(Curves(), options), HasSubstr("no points yet"));
  Curves one;
  one.series = {{"one", {1e-300}, {-1e300}}};
  EXPECT_THAT(curves_to_terminal(one, options), HasSubstr("o one"));
}

}  // namespace
}  // namespace attend::render
