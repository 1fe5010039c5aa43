// What is attended to, as plain data: the one thing every picture is drawn from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attend::render {

/// One matrix of weights.
struct MapPanel {
  std::string title;                 ///< "decoder layer 1, head 2"; may be empty
  std::string kind;                  ///< "cross", "encoder-self", "decoder-self" or free text
  int64_t layer = -1;                ///< from 0; -1: does not apply
  int64_t head = -1;                 ///< from 0; -1: the mean over heads, or does not apply
  std::vector<std::string> rows;     ///< labels of the queries, Tq
  std::vector<std::string> columns;  ///< labels of the keys, Tk
  std::vector<float> weights;        ///< row-major, Tq * Tk
};

/// A titled list of panels. `version` is that of the JSON form.
struct AttentionMap {
  static constexpr int kVersion = 1;
  std::string title;
  std::string source;  ///< the text that was read, for the caption
  std::string target;  ///< the text that was written
  std::string row_axis = "queries";
  std::string column_axis = "keys";
  std::vector<MapPanel> panels;
};

/// {"format": "attend-map", "version": 1, ...}; docs/attention-map.md describes each key.
std::string to_json(const AttentionMap& map);
/// Reads that, or a bare matrix, [[0.1, 0.9], [0.4, 0.6]], whose labels are then 1, 2, 3, ...
/// Throws DataError (path, what is wrong) for anything else.
AttentionMap from_json(const std::string& json, const std::string& path);

}  // namespace attend::render
