// Maps that the tests of render draw and write.
#pragma once

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "attend/render/attention_map.h"

namespace attend::render::test {

/// A softmax over cos(arange), sharpest near the diagonal.
inline MapPanel make_panel(std::vector<std::string> rows, std::vector<std::string> columns) {
  MapPanel panel;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> row;
    double sum = 0;
    for (size_t c = 0; c < columns.size(); ++c) {
      const double d = static_cast<double>(r) / static_cast<double>(rows.size()) -
                       static_cast<double>(c) / static_cast<double>(columns.size());
      row.push_back(std::exp(std::cos(static_cast<double>(3 * r + c)) - 20 * d * d));
      sum += row.back();
    }
    for (const double w : row) panel.weights.push_back(static_cast<float>(w / sum));
  }
  panel.rows = std::move(rows);
  panel.columns = std::move(columns);
  return panel;
}

inline std::vector<std::string> numbered(const std::string& stem, int count) {
  std::vector<std::string> labels;
  for (int i = 0; i < count; ++i) labels.push_back(stem + std::to_string(i));
  return labels;
}

/// French read, Chinese, an emoji and combining marks among the labels.
inline AttentionMap wide_map() {
  AttentionMap map;
  map.title = "cross-attention";
  map.source = "我今天看见了他。";
  map.target = "je l'ai vu aujourd'hui .";
  map.row_axis = "target";
  map.column_axis = "source";
  map.panels.push_back(
      make_panel({"je", "l'ai", "vu", "aujourd'hui", "e\u0301te\u0301", "."},
                 {"我", "今天", "看见", "extraordinaire", "👩‍👩‍👧", "。"}));
  map.panels[0].kind = "cross";
  map.panels[0].layer = 0;
  return map;
}

/// Layers by heads.
inline AttentionMap grid_map(int layers, int heads) {
  AttentionMap map;
  map.title = "grid";
  for (int l = 0; l < layers; ++l) {
    for (int h = 0; h < heads; ++h) {
      MapPanel panel = make_panel({"le", "chat", "."}, {"the", "cat", "."});
      panel.kind = "cross";
      panel.layer = l;
      panel.head = h;
      panel.weights[0] = static_cast<float>(h + 1) / static_cast<float>(heads + 1);
      map.panels.push_back(std::move(panel));
    }
  }
  return map;
}

/// Every way in which text is dangerous to some format.
inline AttentionMap hostile_map() {
  AttentionMap map;
  const std::string script = "</script><script>alert(1)</script>";
  map.title = script + "<!-- ]]> &amp; \"'";
  map.source = std::string("nul\0tab\tbell\a", 13) + "\x1b[31m";
  map.target = "\xFF\xC0 broken \u2028 \u202E turned";
  map.row_axis = "<b>rows</b>";
  map.column_axis = "a\\b";
  map.panels.push_back(
      make_panel({script, "<&\"'>", "a\nb\x01"}, {"\xED\xA0\x80", "\uFFFE", "x,\"y\""}));
  map.panels[0].title = "<title>";
  map.panels[0].kind = "\"";
  return map;
}

inline std::string read_data(const std::string& name) {
  std::ifstream file(std::string(ATTEND_TEST_DATA) + "/render/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// The stored text; with ATTEND_UPDATE_GOLDENS set it is written anew (look at it before a commit).
inline std::string golden(const std::string& name, const std::string& actual) {
  if (std::getenv("ATTEND_UPDATE_GOLDENS") != nullptr)
    std::ofstream(std::string(ATTEND_TEST_DATA) + "/render/" + name, std::ios::binary) << actual;
  return read_data(name);
}

}  // namespace attend::render::test
