// Bar charts, diagrams and the round numbers of an axis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/axis_ticks.h"
#include "attend/render/bars.h"
#include "attend/render/diagram.h"
#include "attend/render/terminal.h"
#include "attend/render/text_metrics.h"
#include "tests/render/maps.h"
#include "tests/render/xml_check.h"

namespace attend::render {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace test;

std::vector<std::string> texts(const std::vector<AxisTick>& ticks) {
  std::vector<std::string> out;
  for (const AxisTick& tick : ticks) out.push_back(tick.label);
  return out;
}

TEST(AxisTicks, AreAllLabelsWhereTheyFit) {
  const auto ticks = axis_ticks({"5", "6", "7"}, 1, 2);
  EXPECT_THAT(texts(ticks), ElementsAre("5", "6", "7"));
  EXPECT_DOUBLE_EQ(ticks[2].place, 2.5);
}

TEST(AxisTicks, AreRoundNumbersOfAQuantity) {
  std::vector<std::string> rising, falling;
  for (int i = 0; i <= 50; ++i) rising.push_back(std::to_string(i / 10.0));
  falling.assign(rising.rbegin(), rising.rend());
  const auto up = axis_ticks(rising, 4, 5);
  EXPECT_THAT(texts(up), ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_NEAR(up[1].place, 10.5, 1e-9);
  const auto down = axis_ticks(falling, 4, 5);
  EXPECT_THAT(texts(down), ElementsAre("5", "4", "3", "2", "1", "0"));
  EXPECT_NEAR(down[1].place, 10.5, 1e-9);
}

TEST(AxisTicks, WordsAndUnorderedNumbersKeepTheirOwn) {
  EXPECT_THAT(texts(axis_ticks({"a", "b", "c", "d"}, 2, 9)), ElementsAre("a", "c"));
  EXPECT_FALSE(is_numeric({"1", "3", "2"}));
  EXPECT_FALSE(is_numeric({"1", "1"}));
  EXPECT_TRUE(is_numeric({"1", "1", "2"}));
  EXPECT_FALSE(is_numeric({"1", "2 s"}));
  EXPECT_FALSE(is_numeric({"1"}));
  EXPECT_FALSE(is_numeric({}));
  EXPECT_TRUE(is_numeric({"2", "1.5", "-1e3"}));
}

TEST(Terminal, AWideQuantityGetsNarrowCellsAndRoundNumbers) {
  AttentionMap map;
  std::vector<std::string> numbers;
  for (int i = 0; i < 60; ++i) numbers.push_back(std::to_string(i));
  map.panels.push_back(make_panel({"q"}, numbers));
  const std::string text = map_to_terminal(map, {80, TerminalColour::kAscii});
  EXPECT_THAT(text, HasSubstr("0"));
  EXPECT_THAT(text, HasSubstr("50"));
  EXPECT_THAT(text, Not(HasSubstr("columns 1 to")));
  EXPECT_THAT(text, Not(HasSubstr("columns: 1")));
  for (const auto& line : core::split_lines(text)) EXPECT_LE(display_width(line), 80);
}

TEST(Terminal, SignsAreSeenWithoutColour) {
  AttentionMap map;
  map.panels.resize(1);
  map.panels[0].rows = {"q"};
  for (int i = 0; i < 30; ++i) {
    map.panels[0].columns.push_back("a" + std::to_string(i));
    map.panels[0].weights.push_back(i == 0 ? -1.f : i == 1 ? 1.f : 0.f);
  }
  TerminalOptions options{70, TerminalColour::kAscii};
  options.scaling = Scaling::kDiverging;
  options.quantity = "score";
  const std::string text = map_to_terminal(map, options);
  EXPECT_THAT(text, HasSubstr("q -@+@\n"));
  EXPECT_THAT(text, HasSubstr("-1.000 "));
  EXPECT_THAT(text, HasSubstr(" 1.000  score"));
}

Bars scores() {
  return {
      "BLEU <test>", "BLEU", {"gru", "变换器"}, {{"short", {2, 8}}, {"long", {1, std::nan("")}}}};
}

TEST(Bars, SvgHasEveryNumber) {
  const std::string svg = bars_to_svg(scores());
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* part :
       {"BLEU &lt;test&gt;", ">8.000</text>", ">?</text>", "变换器", ">long</text>"})
    EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_EQ(xml_problem(bars_to_svg({})), "");
  EXPECT_EQ(xml_problem(bars_to_svg({"", "", {"a"}, {{"", {-3}}}})), "");
}

TEST(Bars, TerminalBarsAreInProportion) {
  CurveTerminalOptions options;
  options.width = 60;
  options.colour = TerminalColour::kAscii;
  const auto lines = core::split_lines(bars_to_terminal(scores(), options));
  const auto length = [&](size_t line, char mark) {
    return std::count(lines[line].begin(), lines[line].end(), mark);
  };
  EXPECT_NEAR(static_cast<double>(length(3, 'o')), 4.0 * static_cast<double>(length(1, 'o')), 2);
  EXPECT_THAT(lines[4], HasSubstr("?"));
  for (const auto& line : lines) EXPECT_LE(display_width(line), 60);
}

TEST(Bars, UnevenSeriesAreRefused) {
  EXPECT_THROW(bars_to_svg({"", "", {"a", "b"}, {{"", {1}}}}), InvalidArgument);
  EXPECT_THROW(bars_to_terminal({"", "", {"a", "b"}, {{"", {1}}}}), InvalidArgument);
}

Diagram small() {
  using Kind = DiagramBox::Kind;
  return {"small",
          {{"in", "in <x>", 0, 1, Kind::kData},
           {"a", "encoder\n编码器", 0, 0, Kind::kPart},
           {"b", "attention", 1, 0, Kind::kFocus},
           {"c", "far", 2, 1, Kind::kPart}},
          {{"in", "a", ""}, {"a", "b", "keys"}, {"a", "c", "state"}}};
}

TEST(Diagram, SvgHoldsBoxesAndArrows) {
  const std::string svg = diagram_to_svg(small());
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* part : {"in &lt;x&gt;", "编码器", "class=\"focus\"", ">keys</text>"})
    EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_EQ(xml_problem(diagram_to_svg({})), "");
}

TEST(Diagram, TerminalDrawsNeighboursAndListsTheRest) {
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  EXPECT_EQ(diagram_to_terminal(small(), options),
            "small\n"
            "+---------+     +-----------+\n"
            "| encoder |---->| attention |\n"
            "| 编码器  |     +-----------+\n"
            "+---------+\n"
            "     ^\n"
            "     |\n"
            "                                  +-----+\n"
            "  in <x>                          | far |\n"
            "                                  +-----+\n"
            "  encoder 编码器 -> attention: keys\n"
            "  encoder 编码器 -> far: state\n");
}

TEST(Diagram, ArrowsGoRoundTheBoxesBetween) {
  const Diagram diagram{"",
                        {{"a", "a", 0, 0}, {"b", "b", 1, 0}, {"m", "m", 1, 1}, {"c", "c", 1, 2}},
                        {{"a", "b", ""}, {"a", "c", ""}}};
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  EXPECT_EQ(diagram_to_terminal(diagram, options),
            "+---+     +---+\n"
            "| a |--+->| b |\n"
            "+---+  |  +---+\n"
            "       |\n"
            "       |\n"
            "       |  +---+\n"
            "       |  | m |\n"
            "       |  +---+\n"
            "       |\n"
            "       |\n"
            "       |  +---+\n"
            "       +->| c |\n"
            "          +---+\n");
}

TEST(Diagram, ArrowsGoPastTheBoxesOfAColumnAtItsSide) {
  Diagram diagram{"",
                  {{"a", "a", 0, 0},
                   {"f", "f", 0, 1},
                   {"s", "sum", 0, 2},
                   {"g", "g", 0, 3},
                   {"t", "sum", 0, 4}},
                  {{"a", "f", ""},
                   {"f", "s", ""},
                   {"s", "g", ""},
                   {"g", "t", ""},
                   {"a", "s", ""},
                   {"s", "t", ""}}};
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  EXPECT_EQ(diagram_to_terminal(diagram, options),
            "   +-----+\n"
            "+--|  a  |\n"
            "|  +-----+\n"
            "|     |\n"
            "|     v\n"
            "|  +-----+\n"
            "|  |  f  |\n"
            "|  +-----+\n"
            "|     |\n"
            "|     v\n"
            "|  +-----+\n"
            "+->| sum |\n"
            "+--|     |\n"
            "|  +-----+\n"
            "|     |\n"
            "|     v\n"
            "|  +-----+\n"
            "|  |  g  |\n"
            "|  +-----+\n"
            "|     |\n"
            "|     v\n"
            "|  +-----+\n"
            "+->| sum |\n"
            "   +-----+\n");
  EXPECT_EQ(xml_problem(diagram_to_svg(diagram)), "");
  // In a later column they go on the right.
  for (DiagramBox& box : diagram.boxes) box.column = 1;
  diagram.boxes.push_back({"z", "z", 0, 0});
  const std::string text = diagram_to_terminal(diagram, options);
  EXPECT_THAT(text, HasSubstr("|  a  |--+\n"));
  EXPECT_THAT(text, HasSubstr("| sum |<-+\n          |     |--+\n"));
}

TEST(Diagram, ArrowsBackComeFromBelow) {
  const Diagram diagram{"",
                        {{"m", "asks", 0, 0}, {"a", "a", 1, 0}, {"b", "b", 1, 1}},
                        {{"m", "a", ""}, {"a", "b", ""}, {"b", "m", "up"}}};
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  EXPECT_EQ(diagram_to_terminal(diagram, options),
            "+------+     +---+\n"
            "| asks |---->| a |\n"
            "+------+     +---+\n"
            "    ^          |\n"
            "    |          v\n"
            "    | up     +---+\n"
            "    +--------| b |\n"
            "             +---+\n");
  EXPECT_THAT(diagram_to_svg(diagram), HasSubstr(">up</text>"));
}

TEST(Diagram, DetailsStandBelowTheTextAndAreNotPartOfTheName) {
  Diagram diagram{"", {{"a", "a", 0, 0}, {"b", "b", 2, 0}}, {{"a", "b", "long way"}}};
  diagram.boxes[0].details = "weight 2 x 3";
  CurveTerminalOptions options;
  options.colour = TerminalColour::kAscii;
  options.width = 14;
  const std::string text = diagram_to_terminal(diagram, options);
  EXPECT_THAT(text, HasSubstr("|      a       |             | b |\n| weight 2 x 3 |"));
  EXPECT_THAT(text, HasSubstr("\n  a -> b: long\n  way\n"));
  EXPECT_THAT(diagram_to_svg(diagram), HasSubstr(">weight 2 x 3</text>"));
}

TEST(Diagram, RefusesWhatHasNoPlace) {
  Diagram unknown = small();
  unknown.arrows.push_back({"in", "nowhere", ""});
  EXPECT_THROW(diagram_to_svg(unknown), InvalidArgument);
  Diagram twice = small();
  twice.boxes[3].column = 0, twice.boxes[3].row = 0;
  EXPECT_THROW(diagram_to_terminal(twice), InvalidArgument);
  Diagram same = small();
  same.boxes[3].id = "in";
  EXPECT_THROW(diagram_to_svg(same), InvalidArgument);
}

}  // namespace
}  // namespace attend::render
