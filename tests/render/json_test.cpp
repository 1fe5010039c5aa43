#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/core/errors.h"
#include "attend/render/escape.h"
#include "tests/render/maps.h"

namespace attend::render {
namespace {

using testing::HasSubstr;
using namespace test;

void expect_equal(const AttentionMap& a, const AttentionMap& b) {
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.row_axis, b.row_axis);
  EXPECT_EQ(a.column_axis, b.column_axis);
  ASSERT_EQ(a.panels.size(), b.panels.size());
  for (size_t i = 0; i < a.panels.size(); ++i) {
    const MapPanel& p = a.panels[i];
    const MapPanel& q = b.panels[i];
    EXPECT_EQ(p.title, q.title);
    EXPECT_EQ(p.kind, q.kind);
    EXPECT_EQ(p.layer, q.layer);
    EXPECT_EQ(p.head, q.head);
    EXPECT_EQ(p.rows, q.rows);
    EXPECT_EQ(p.columns, q.columns);
    ASSERT_EQ(p.weights.size(), q.weights.size());
    for (size_t k = 0; k < p.weights.size(); ++k)
      EXPECT_TRUE(p.weights[k] == q.weights[k] ||
                  (std::isnan(p.weights[k]) && std::isnan(q.weights[k])))
          << p.weights[k] << " " << q.weights[k];
  }
}

std::string message_of(const std::string& json) {
  try {
    from_json(json, "a.json");
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MapJson, RoundTrip) {
  for (const AttentionMap& map : {wide_map(), grid_map(2, 3), AttentionMap()})
    expect_equal(from_json(to_json(map), "a.json"), map);
}

TEST(MapJson, RoundTripOfEveryKindOfFloat) {
  AttentionMap map;
  MapPanel panel;
  panel.rows = {"r"};
  panel.weights = {0.f, -0.f, 0.1f, 1e-45f, 1.17549435e-38f, 3.4028235e38f, -1.f / 3, 1.f};
  panel.columns = numbered("c", 8);
  map.panels.push_back(panel);
  expect_equal(from_json(to_json(map), "a.json"), map);
}

TEST(MapJson, EmptyShapesKeepTheirLabels) {
  AttentionMap map;
  map.panels.resize(3);
  map.panels[1].rows = {"a", "b"};
  map.panels[2].columns = {"a", "b"};
  expect_equal(from_json(to_json(map), "a.json"), map);
}

TEST(MapJson, WhatIsNotFiniteIsNull) {
  AttentionMap map = grid_map(1, 1);
  map.panels[0].weights[1] = std::numeric_limits<float>::quiet_NaN();
  map.panels[0].weights[2] = std::numeric_limits<float>::infinity();
  const auto json = nlohmann::json::parse(to_json(map));
  EXPECT_TRUE(json.at("panels")[0].at("weights")[0][1].is_null());
  const AttentionMap again = from_json(to_json(map), "a.json");
  EXPECT_TRUE(std::isnan(again.panels[0].weights[1]));
  EXPECT_TRUE(std::isnan(again.panels[0].weights[2]));
}

TEST(MapJson, HostileTextIsValidJson) {
  const AttentionMap map = hostile_map();
  const AttentionMap again = from_json(to_json(map), "a.json");
  EXPECT_EQ(again.source, map.source);
  EXPECT_EQ(again.panels[0].rows, map.panels[0].rows);
  EXPECT_EQ(again.target, "\uFFFD\uFFFD broken \u2028 \u202E turned");
}

TEST(MapJson, WeightsThatDoNotFitTheLabelsAreRefused) {
  AttentionMap map = grid_map(1, 1);
  map.panels[0].weights.pop_back();
  try {
    to_json(map);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("shape (3, 3)"));
    EXPECT_THAT(error.what(), HasSubstr("found 8 weights"));
    EXPECT_THAT(error.what(), HasSubstr("cross, layer 1, head 1"));
  }
}

TEST(MapJson, CutShortAtEachByteIsRefused) {
  const std::string json = to_json(wide_map());
  const std::string body = json.substr(0, json.size() - 1);  // without the last line end
  for (size_t i = 0; i < body.size(); ++i)
    EXPECT_THROW(from_json(body.substr(0, i), "a.json"), DataError) << i;
}

TEST(MapJson, AnyByteChangedIsReadOrRefused) {
  const std::string json = to_json(grid_map(1, 1));
  for (size_t i = 0; i < json.size(); ++i) {
    for (const char c : {'\0', '"', '9', '[', '}', '\xFF', '-'}) {
      std::string changed = json;
      changed[i] = c;
      try {
        from_json(changed, "a.json");
      } catch (const DataError&) {
      }
    }
  }
}

TEST(MapJson, ABareMatrixIsOnePanelWithCountedLabels) {
  const AttentionMap map = from_json("[[0.5, null, 0.25], [0, 1, 0]]", "a.json");
  ASSERT_EQ(map.panels.size(), 1u);
  EXPECT_THAT(map.panels[0].rows, testing::ElementsAre("1", "2"));
  EXPECT_THAT(map.panels[0].columns, testing::ElementsAre("1", "2", "3"));
  EXPECT_EQ(map.panels[0].weights[2], 0.25f);
  EXPECT_TRUE(std::isnan(map.panels[0].weights[1]));
  EXPECT_TRUE(from_json("[]", "a.json").panels[0].weights.empty());
}

TEST(MapJson, MessagesNameTheFileAndThePlace) {
  const auto with = [](const std::string& panel) {
    return R"({"format": "attend-map", "version": 1, "panels": [)" + panel + "]}";
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "a.json:1"},
      {"7", "expected an object, found the number 7"},
      {"[1, 2]", "rows of numbers, as in [[0.1, 0.9], [0.4, 0.6]], found the number 1"},
      {"[[1, 2], [3]]", "row 2: expected an array of 2 numbers"},
      {"[[1, \"a\"]]", "row 1, column 2: expected a number or null"},
      {"{}", "\"format\": expected \"attend-map\""},
      {R"({"format": "attend-map", "version": 2, "panels": []})", "version 2"},
      {R"({"format": "attend-map", "version": 0, "panels": []})", "whole number from 1"},
      {R"({"format": "attend-map", "version": 1})", "\"panels\": is missing"},
      {R"({"format": "attend-map", "version": 1, "panels": {}})",
       "expected an array, found object"},
      {R"({"format": "attend-map", "version": 1, "title": 3, "panels": []})", "the number 3"},
      {with("7"), "panel 1: expected an object"},
      {with(R"({"rows": ["a"], "columns": ["b"], "weights": []})"), "expected 1 rows"},
      {with(R"({"rows": ["a"], "columns": ["b"], "weights": [[1, 2]]})"), "row 1"},
      {with(R"({"rows": ["a"], "columns": ["b"], "weights": [["x"]]})"), "found string"},
      {with(R"({"rows": ["a"], "columns": ["b"], "weights": [[1e39]]})"),
       "panel 1, \"weights\": row 1, column 1: the number 1e+39 is too large"},
      {with(R"({"rows": ["a"], "columns": ["b"], "weights": [[1e999]]})"),
       "a.json:1:98: not an attention map: the number 1e999 is too large"},
      {"[[0.5, 1],\n [0,\n -1e999]]", "a.json:3:2: not an attention map: the number -1e999"},
      // As Python's json.dumps() writes what is not finite.
      {"[[0.5, NaN]]", "a.json:1:8: not an attention map: JSON has no NaN"},
      {"[[0.5,\n -Infinity]]", "a.json:2:3: not an attention map: JSON has no NaN"},
      {with(R"({"rows": [1], "columns": [], "weights": [[]]})"), "expected texts"},
      {with(R"({"layer": -1, "rows": [], "columns": [], "weights": []})"), "from 0"},
      {with(R"({"head": 1.5, "rows": [], "columns": [], "weights": []})"), "from 0"},
      {"{\"format\":\n\n!", "a.json:3:1: not an attention map: syntax error while parsing value"},
  };
  for (const auto& [json, part] : cases) {
    EXPECT_THAT(message_of(json), HasSubstr(part)) << json;
    EXPECT_THAT(message_of(json), testing::StartsWith("a.json")) << json;
  }
}

TEST(MapJson, UnknownKeysAreLeftOut) {
  EXPECT_EQ(message_of(R"({"format": "attend-map", "version": 1, "panels": [], "more": [1]})"),
            "accepted");
}

TEST(MapJson, DeepNestingIsNoStackOverflow) {
  const std::string open(200'000, '['), close(200'000, ']');
  EXPECT_THAT(message_of(open), HasSubstr("a.json"));
  EXPECT_THAT(message_of(open + close), HasSubstr("found array"));
}

TEST(Escape, Xml) {
  EXPECT_EQ(escape_xml("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape_xml(std::string("\0\x1b\x7f\t\n", 5)), "\uFFFD\uFFFD\uFFFD  ");
  EXPECT_EQ(escape_xml("\uFFFE\uFDD0\U0001FFFF"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escape_xml("é今👍"), "é今👍");
}

TEST(Escape, ScriptSafeJsonIsTheSameJson) {
  const std::string json = json_string("</script><!-- & \u2028\u2029 é");
  const std::string safe = script_safe_json(json);
  EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(safe.find("\u2028"), std::string::npos);
  EXPECT_EQ(safe.find("\u2029"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe), nlohmann::json::parse(json));
}

}  // namespace
}  // namespace attend::render
