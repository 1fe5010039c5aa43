#include "attend/render/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/terminal_header.h"
#include "attend/render/text_metrics.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace test;

TerminalOptions options(int width, TerminalColour colour) {
  TerminalOptions options;
  options.width = width;
  options.colour = colour;
  return options;
}

std::string without_escapes(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      out += text[i];
      continue;
    }
    while (text[i] != 'm') ++i;
  }
  return out;
}

TEST(Terminal, Goldens) {
  AttentionMap missing = grid_map(1, 1);
  missing.panels[0].weights[4] = std::numeric_limits<float>::quiet_NaN();
  AttentionMap many;
  many.panels.push_back(make_panel(numbered("mot", 6), numbered("token", 40)));
  struct Case {
    const char* file;
    AttentionMap map;
    TerminalOptions options;
  };
  const Case cases[] = {
      {"terminal_wide_ascii.txt", wide_map(), options(80, TerminalColour::kAscii)},
      {"terminal_wide_narrow.txt", wide_map(), options(36, TerminalColour::kAscii)},
      {"terminal_wide_true.txt", wide_map(), options(80, TerminalColour::kTrueColour)},
      {"terminal_wide_256.txt", wide_map(), options(80, TerminalColour::k256)},
      {"terminal_grid_ascii.txt", grid_map(2, 3), options(80, TerminalColour::kAscii)},
      {"terminal_missing.txt", missing, options(80, TerminalColour::kAscii)},
      {"terminal_many.txt", many, options(60, TerminalColour::kAscii)},
  };
  for (const Case& c : cases) {
    const std::string text = map_to_terminal(c.map, c.options);
    EXPECT_EQ(text, golden(c.file, text)) << c.file;
  }
}

TEST(Terminal, NoLineIsWiderThanAsked) {
  AttentionMap long_labels = wide_map();
  long_labels.panels[0].rows[0] = std::string(300, 'x');
  long_labels.panels[0].columns[5] = std::string(300, 'y');
  long_labels.title = std::string(500, 'z');
  AttentionMap many;
  many.panels.push_back(make_panel(numbered("mot", 3), numbered("extraordinaire", 120)));
  for (const AttentionMap& map : {wide_map(), grid_map(2, 4), long_labels, many, hostile_map()}) {
    for (int width = 20; width < 130; width += 7) {
      for (const TerminalColour colour :
           {TerminalColour::kTrueColour, TerminalColour::k256, TerminalColour::kAscii}) {
        const std::string text = map_to_terminal(map, options(width, colour));
        for (const std::string& line : core::split_lines(without_escapes(text)))
          EXPECT_LE(display_width(line), width) << line;
      }
    }
  }
}

// A word of 200,000 letters, in the sentence, as a label and in the legend below.
TEST(Terminal, NoWordFillsTheScreen) {
  const std::string word(200000, 'a');
  AttentionMap map;
  map.title = map.source = map.target = word;
  std::vector<std::string> columns(40, "t");
  columns.back() = word;
  map.panels.push_back(make_panel({word, "."}, columns));
  for (const TerminalColour colour : {TerminalColour::kTrueColour, TerminalColour::kAscii}) {
    const std::string text = map_to_terminal(map, options(60, colour));
    EXPECT_LT(core::split_lines(text).size(), 50u);
    EXPECT_THAT(text, HasSubstr(colour == TerminalColour::kAscii ? "aaa~" : "aaa…"));
  }
}

TEST(Terminal, EveryColumnIsDrawnOnceWhenSplit) {
  AttentionMap map;
  map.panels.push_back(make_panel({"row"}, numbered("t", 100)));
  map.panels[0].weights.assign(100, 1.f);
  const std::string text = map_to_terminal(map, options(40, TerminalColour::kAscii));
  size_t cells = 0;
  const std::string above_the_scale = text.substr(0, text.rfind("\n0 "));
  for (const char c : above_the_scale) cells += c == '@' ? 1 : 0;
  EXPECT_EQ(cells, 2 * 100u);  // two signs a cell
  EXPECT_THAT(text, HasSubstr("columns 1 to 18 of 100"));
  EXPECT_THAT(text, HasSubstr("columns 91 to 100 of 100"));
}

TEST(Terminal, ColoursAreResetOnEveryLine) {
  for (const std::string& line : core::split_lines(map_to_terminal(wide_map()))) {
    const size_t last = line.rfind('\x1b');
    if (last == std::string::npos) continue;
    EXPECT_EQ(line.substr(last, 4), "\x1b[0m") << line;
  }
}

TEST(Terminal, AsciiHasNoEscapeEvenFromLabels) {
  EXPECT_THAT(map_to_terminal(hostile_map(), options(80, TerminalColour::kAscii)),
              Not(HasSubstr("\x1b")));
}

TEST(Terminal, ControlCharactersAreSeenAndLongTextsCut) {
  AttentionMap map;
  const std::string endless(200'000, 'x');
  map.title = map.source = map.target = map.row_axis = endless;
  std::vector<std::string> columns = numbered("t", 120);  // too many for steps: a legend
  columns[3] = endless;
  columns[4] = "go\x1b[31mred\r\n";
  map.panels.push_back(make_panel({endless, "go\x1b[31mred"}, columns));
  map.panels[0].title = endless;
  for (const TerminalColour colour : {TerminalColour::kTrueColour, TerminalColour::kAscii}) {
    const std::string text = map_to_terminal(map, options(80, colour));
    EXPECT_LT(text.size(), 40'000u);
    EXPECT_THAT(text, HasSubstr("go␛[31mred"));
    EXPECT_THAT(text, HasSubstr("5\u00A0go␛[31mred␍␊"));
    EXPECT_THAT(text, HasSubstr(colour == TerminalColour::kAscii ? "4\u00A0xxxxxxxxxxxxxxxxx~"
                                                                 : "4\u00A0xxxxxxxxxxxxxxxxx…"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b[31mred")));
    EXPECT_THAT(text, Not(HasSubstr("\r")));
  }
}

TEST(Terminal, AsciiRampHasNoSignBeforeANumber) {
  const std::string text = map_to_terminal(grid_map(1, 1), options(80, TerminalColour::kAscii));
  EXPECT_THAT(text, Not(HasSubstr("-.")));
  EXPECT_THAT(text, Not(HasSubstr("+.")));
}

TEST(Terminal, ScaleHasNumbers) {
  const std::string unit = map_to_terminal(grid_map(1, 1), options(80, TerminalColour::kAscii));
  EXPECT_THAT(unit, HasSubstr("0  "));
  EXPECT_THAT(unit, HasSubstr(" 1  weight\n"));
  AttentionMap scores = grid_map(1, 1);
  scores.panels[0].weights[0] = -2.5f;
  scores.panels[0].weights[1] = 40;
  const std::string wide = map_to_terminal(scores, options(80, TerminalColour::kAscii));
  EXPECT_THAT(wide, HasSubstr("\n-2.500 "));
  EXPECT_THAT(wide, HasSubstr(" 40.000  weight\n"));
}

TEST(Terminal, EmptyMaps) {
  EXPECT_THAT(map_to_terminal(AttentionMap()), HasSubstr("no panels"));
  AttentionMap map;
  map.panels.push_back(make_panel({}, {"a"}));
  map.panels.push_back(make_panel({"a"}, {}));
  EXPECT_THAT(map_to_terminal(map), HasSubstr("(no rows)"));
  EXPECT_THAT(map_to_terminal(map), HasSubstr("(no columns)"));
  map.panels = {make_panel({"a"}, {"b"})};
  EXPECT_THAT(map_to_terminal(map, options(80, TerminalColour::kAscii)), HasSubstr("a @1.0"));
}

TEST(Terminal, UnsoundMapsAreRefused) {
  AttentionMap map = grid_map(1, 1);
  map.panels[0].weights.clear();
  EXPECT_THROW(map_to_terminal(map), InvalidArgument);
}

TEST(TerminalHeader, StepsOnlyWhereLabelsMeet) {
  EXPECT_EQ(header_height({{"a", 0}, {"b", 5}, {"c", 10}}), 1);
  EXPECT_EQ(header_height({{"abcde", 0}, {"b", 5}}), 2);  // they would touch
  EXPECT_EQ(header_height({{"abcd", 0}, {"b", 5}}), 1);
  EXPECT_EQ(header_height({}), 0);
  EXPECT_EQ(join(header_lines({{"today", 0}, {"morning", 5}, {"x", 10}}, TerminalColour::kAscii)),
            "today\n|    morning\n|    |    x\n");
}

TEST(TerminalHeader, NumbersStandUpright) {
  EXPECT_EQ(join(number_lines({{"", 1}, {"", 3}, {"", 5}}, 9, TerminalColour::kAscii)),
            "   1 1\n 9 0 1\n");
}

}  // namespace
}  // namespace attend::render
