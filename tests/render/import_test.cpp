#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/core/npz.h"
#include "attend/render/csv_rows.h"
#include "attend/render/map_csv.h"
#include "attend/render/map_npz.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

std::vector<float> expected(const std::string& name) {
  std::vector<float> values;
  const auto all = nlohmann::json::parse(read_data("expected.json"));
  for (const auto& v : all.at(name)) values.push_back(v.get<float>());
  return values;
}

std::string csv_message(const std::string& csv, const CsvOptions& options = {}) {
  try {
    map_from_csv(csv, "m.csv", options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MapNpz, PanelOfNumpy) {
  const AttentionMap map = map_from_npz(read_data("panel.npz"), "panel.npz");
  ASSERT_EQ(map.panels.size(), 1u);
  const MapPanel& panel = map.panels[0];
  EXPECT_EQ(panel.kind, "cross");
  EXPECT_EQ(panel.layer, 1);
  EXPECT_EQ(panel.head, 2);
  EXPECT_THAT(panel.rows, ElementsAre("1", "2", "3"));
  EXPECT_THAT(panel.columns, ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(panel.weights, testing::Pointwise(testing::FloatEq(), expected("panel")));
}

TEST(MapNpz, GridOfNumpy) {
  const AttentionMap map = map_from_npz(read_data("grid.npz"), "grid.npz");
  ASSERT_EQ(map.panels.size(), 6u);
  std::vector<float> all;
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(map.panels[i].kind, "cross");
    EXPECT_EQ(map.panels[i].layer, static_cast<int64_t>(i / 3));
    EXPECT_EQ(map.panels[i].head, static_cast<int64_t>(i % 3));
    EXPECT_EQ(map.panels[i].rows.size(), 4u);
    EXPECT_EQ(map.panels[i].columns.size(), 5u);
    all.insert(all.end(), map.panels[i].weights.begin(), map.panels[i].weights.end());
  }
  EXPECT_THAT(all, testing::Pointwise(testing::FloatEq(), expected("grid")));
}

TEST(MapNpz, FortranOrderHeads) {
  const AttentionMap map = map_from_npy(read_data("heads.npy"), "heads.npy");
  ASSERT_EQ(map.panels.size(), 2u);
  std::vector<float> all = map.panels[0].weights;
  all.insert(all.end(), map.panels[1].weights.begin(), map.panels[1].weights.end());
  EXPECT_THAT(all, testing::Pointwise(testing::FloatEq(), expected("heads")));
  EXPECT_EQ(map.panels[1].head, 1);
  EXPECT_EQ(map.panels[1].layer, -1);
}

TEST(MapNpz, OtherShapesAreRefused) {
  try {
    map_from_npy(read_data("vector.npy"), "vector.npy");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("vector.npy: the array: expected shape"));
    EXPECT_THAT(error.what(), HasSubstr("(4)"));
    EXPECT_THAT(error.what(), HasSubstr("(H, Tq, Tk)"));
  }
  const std::string empty = core::write_npz({{"a", {0, 1000000, 1000000}, {}}});
  EXPECT_THROW(map_from_npz(empty, "empty.npz"), DataError);
  EXPECT_THROW(map_from_npz(core::write_npz({}), "none.npz"), DataError);
}

TEST(MapNpz, RoundTripKeepsWeightsKindLayerAndHead) {
  AttentionMap map = grid_map(2, 2);
  map.panels.push_back(make_panel({"a"}, {"b", "c"}));  // nothing known of it
  map.panels.push_back(map.panels[0]);                  // a name that is taken
  const AttentionMap again = map_from_npz(map_to_npz(map), "m.npz");
  ASSERT_EQ(again.panels.size(), 6u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(again.panels[i].weights, map.panels[i].weights);
    EXPECT_EQ(again.panels[i].kind, map.panels[i].kind);
    EXPECT_EQ(again.panels[i].layer, map.panels[i].layer);
    EXPECT_EQ(again.panels[i].head, map.panels[i].head);
  }
  const auto arrays = core::read_npz(map_to_npz(map), "m.npz");
  EXPECT_EQ(arrays[0].name, "cross_layer0_head0");
  EXPECT_EQ(arrays[4].name, "panel4");
  EXPECT_EQ(arrays[5].name, "cross_layer0_head0_2");
}

TEST(MapCsv, PlainNumbersOfNumpy) {
  const AttentionMap map = map_from_csv(read_data("plain.csv"), "plain.csv");
  ASSERT_EQ(map.panels.size(), 1u);
  EXPECT_THAT(map.panels[0].rows, ElementsAre("1", "2", "3"));
  EXPECT_THAT(map.panels[0].columns, ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(map.panels[0].weights, testing::Pointwise(testing::FloatEq(), expected("panel")));
}

TEST(MapCsv, LabelsOfPythonsWriter) {
  // A byte order mark, CRLF, quotes, commas and NaN.
  const AttentionMap map = map_from_csv(read_data("labels.csv"), "labels.csv");
  const MapPanel& panel = map.panels[0];
  EXPECT_THAT(panel.columns, ElementsAre("le", "chat, noir", "dit \"oui\""));
  EXPECT_THAT(panel.rows, ElementsAre("猫", "b"));
  EXPECT_THAT(panel.weights, ElementsAre(0.25f, testing::IsNan(), 0.001f, 0, 1, 0.5f));
}

TEST(MapCsv, FindsHeaderAndLabels) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  struct Case {
    const char* csv;
    std::vector<std::string> rows, columns;
    std::vector<float> weights;
  };
  const Case cases[] = {
      {"1,2\n3,4\n", {"1", "2"}, {"1", "2"}, {1, 2, 3, 4}},
      {"a,b\n3,4\n", {"1"}, {"a", "b"}, {3, 4}},
      {"x,1,2\ny,3,4\n", {"x", "y"}, {"1", "2"}, {1, 2, 3, 4}},
      {",0,1\n0,3,4\n1,5,6\n", {"0", "1"}, {"0", "1"}, {3, 4, 5, 6}},  // as pandas writes it
      {"\"7\",\"8\"\n3,4\n", {"1"}, {"7", "8"}, {3, 4}},               // quoted: a label
      {"1;2\n3;4", {"1", "2"}, {"1", "2"}, {1, 2, 3, 4}},
      {"1\t2\r\n\r\n3\t4\r\n", {"1", "2"}, {"1", "2"}, {1, 2, 3, 4}},
      {"5", {"1"}, {"1"}, {5}},
      {" +1 , -2e-1 \n", {"1"}, {"1", "2"}, {1, -0.2f}},
      {"a\\b,\"c\nd\"\nx,1\n", {"x"}, {"c\nd"}, {1}},
      {"-inf,1e-999\n0.5,inf\n", {"1", "2"}, {"1", "2"}, {-kInfinity, 0, 0.5f, kInfinity}},
      // As numpy.savetxt() writes it: blanks, and comments before and after.
      {"# made by numpy\n1.0e+00 2.5e-01\n3 4\n# end\n", {"1", "2"}, {"1", "2"}, {1, 0.25f, 3, 4}},
      {"  1   2 \n\t3 4\n", {"1", "2"}, {"1", "2"}, {1, 2, 3, 4}},
      {"# it's \"open\n1,2\n", {"1"}, {"1", "2"}, {1, 2}},
      {"1 2 3\n", {"1"}, {"1", "2", "3"}, {1, 2, 3}},
      // As R writes it: no cell above the labels.
      {"\"a\" \"b\"\n\"x\" 1 2\n", {"x"}, {"a", "b"}, {1, 2}},
      // A decimal comma, where no comma parts the cells.
      {"0,5;0,25\n1;-1,5e-1\n", {"1", "2"}, {"1", "2"}, {0.5f, 0.25f, 1, -0.15f}},
      {"0,5\t0,25\n", {"1"}, {"1", "2"}, {0.5f, 0.25f}},
      {"0,5 0,25 0,125\n", {"1"}, {"1", "2", "3"}, {0.5f, 0.25f, 0.125f}},
      {"0.1, 0.9\n", {"1"}, {"1", "2"}, {0.1f, 0.9f}},
      {"1, 2\n3, 4\n", {"1", "2"}, {"1", "2"}, {1, 2, 3, 4}},
      // Labels that begin with '#' are none the less labels, where the line is as wide as others.
      {",the,cat\n##ing,0.5,1\nle,0,1\n", {"##ing", "le"}, {"the", "cat"}, {0.5f, 1, 0, 1}},
      {"#,the,cat\nle,0,1\n", {"le"}, {"the", "cat"}, {0, 1}},
      // One column: labels would leave nothing.
      {"0.5\n0.25\n", {"1", "2"}, {"1"}, {0.5f, 0.25f}},
      {"my weights\n0.5\n0.25\n", {"1", "2"}, {"my weights"}, {0.5f, 0.25f}},
      {"1,2\r3,4\r", {"1", "2"}, {"1", "2"}, {1, 2, 3, 4}},  // CR ends lines on its own
      {"1st,2nd\n3,4\n", {"1"}, {"1st", "2nd"}, {3, 4}},
  };
  for (const Case& c : cases) {
    const MapPanel panel = map_from_csv(c.csv, "m.csv").panels[0];
    EXPECT_EQ(panel.rows, c.rows) << c.csv;
    EXPECT_EQ(panel.columns, c.columns) << c.csv;
    EXPECT_EQ(panel.weights, c.weights) << c.csv;
  }
}

TEST(MapCsv, ASeparatorThatIsGivenHolds) {
  CsvOptions options;
  options.separator = ';';
  EXPECT_THAT(map_from_csv("1,5;2\n", "m.csv", options).panels[0].weights, ElementsAre(1.5f, 2));
  options.separator = ' ';
  EXPECT_THAT(map_from_csv("a;b 2\n3 4\n", "m.csv", options).panels[0].rows,
              ElementsAre("a;b", "3"));
}

TEST(MapCsv, TheSeparatorIsKnownFromLinesBelowWords) {
  EXPECT_EQ(guess_separator("the cat sat\n0.1 0.2 0.7\n"), ' ');
  EXPECT_EQ(guess_separator("the cat,sat\n0.1,0.2\n"), ',');
  EXPECT_EQ(guess_separator("a;b,c;d\n1;2;3\n"), ';');
  EXPECT_EQ(guess_separator("5\n"), ',');
  EXPECT_EQ(guess_separator(""), ',');
}

TEST(MapCsv, OptionsOverrule) {
  CsvOptions options;
  options.header = Presence::kYes;
  options.labels = Presence::kYes;
  const MapPanel panel = map_from_csv("9,1,2\n7,3,4\n", "m.csv", options).panels[0];
  EXPECT_THAT(panel.rows, ElementsAre("7"));
  EXPECT_THAT(panel.columns, ElementsAre("1", "2"));
  EXPECT_THAT(panel.weights, ElementsAre(3, 4));
}

TEST(MapCsv, MessagesNameLineAndColumn) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "found nothing"},
      {"\n \r\n", "found nothing"},
      {"1,2\n3\n", "m.csv:2: expected 2 cells, as in the first row, found 1"},
      {"1,2\n\n3,4,5\n", "m.csv:3"},
      {"a,b\n1,x\n", "m.csv:2:2: expected a number, found \"x\""},
      {"a,b\n1,\n", "m.csv:2:2"},
      {"a,b\n1,1e99\n", "m.csv:2:2: the number \"1e99\" is too large; the largest is 3.4e38"},
      {"-1e999,1e-999\n0.5,1\n", "m.csv:1:1: the number \"-1e999\" is too large"},
      {"1 2\n3 1e999\n", "m.csv:2:2: the number \"1e999\" is too large"},
      {"a,b\n", "m.csv:1: expected a matrix of numbers, found labels only"},
      {"\"0,5\",\"0,25\"\n", "m.csv:1: expected a matrix of numbers, found labels only"},
      {"# only\n# comments\n", "found nothing"},
      {"0.5\nx\n", "m.csv:2:1: expected a number, found \"x\""},
      // One mistyped number among others makes no label of them.
      {"0.1,0.2\n0.3x,0.4\n", "m.csv:2:1: expected a number, found \"0.3x\" among numbers"},
      {"0.1,0.2,0.3x\n0.3,0.4,0\n", "m.csv:1:3: expected a number, found \"0.3x\""},
      {"1,go\x1b[31m\n1,go\x1b[31m\n", "found \"go\u241b[31m\""},
      {"a,b\n\"x", "m.csv:2:1: the quote"},
      {"a,b\n\"x\"y,1\n", "m.csv:2:1: text after"},
      {"a,b\n1,\"x\ny\"\n2\n", "m.csv:2:2"},
      {"a,b\n1,\xFF\n", "m.csv:2: not valid UTF-8"},
  };
  for (const auto& [csv, part] : cases) EXPECT_THAT(csv_message(csv), HasSubstr(part)) << csv;
}

TEST(MapCsv, RoundTrip) {
  AttentionMap map = wide_map();
  map.panels[0].rows = {"1", "", "a,b", "\"", "猫\n", " x "};  // labels that could be misread
  map.panels[0].weights[3] = std::numeric_limits<float>::quiet_NaN();
  map.panels[0].weights[4] = 1e-30f;
  const AttentionMap again = map_from_csv(map_to_csv(map), "m.csv");
  EXPECT_EQ(again.row_axis, map.row_axis);
  EXPECT_EQ(again.column_axis, map.column_axis);
  EXPECT_EQ(again.panels[0].rows, map.panels[0].rows);
  EXPECT_EQ(again.panels[0].columns, map.panels[0].columns);
  EXPECT_TRUE(std::isnan(again.panels[0].weights[3]));
  AttentionMap finite = again;
  finite.panels[0].weights[3] = map.panels[0].weights[3] = 0;
  EXPECT_EQ(finite.panels[0].weights, map.panels[0].weights);
}

TEST(MapCsv, RoundTripOfEmptyShapes) {
  for (const auto& [rows, columns] : {std::pair<int, int>{0, 2}, {2, 0}, {0, 0}, {1, 1}}) {
    AttentionMap map;
    map.panels.push_back(make_panel(numbered("r", rows), numbered("c", columns)));
    const AttentionMap again = map_from_csv(map_to_csv(map), "m.csv");
    EXPECT_EQ(again.panels[0].rows, map.panels[0].rows) << rows << " " << columns;
    EXPECT_EQ(again.panels[0].columns, map.panels[0].columns) << rows << " " << columns;
  }
}

TEST(MapCsv, SeveralPanelsAreRefusedWithAList) {
  try {
    map_to_csv(grid_map(1, 2));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("--layer"));
    EXPECT_THAT(error.what(), HasSubstr("cross, layer 1, head 2"));
  }
}

TEST(MapCsv, CutShortAtEachByteIsReadOrRefused) {
  const std::string csv = map_to_csv(wide_map());
  for (size_t i = 0; i < csv.size(); ++i) csv_message(csv.substr(0, i));
}

}  // namespace
}  // namespace attend::render
