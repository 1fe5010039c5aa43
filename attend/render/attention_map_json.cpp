#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "attend/core/errors.h"
#include "attend/render/attention_map.h"
#include "attend/render/check.h"
#include "attend/render/escape.h"
#include "attend/render/text_metrics.h"
#include "attend/render/value_scale.h"

namespace attend::render {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "attend-map";

void append_labels(std::string& out, const std::vector<std::string>& labels) {
  out += '[';
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) out += ", ";
    out += json_string(labels[i]);
  }
  out += ']';
}

/// The shortest digits that read back as the same float; null for what JSON has no number for.
void append_weight(std::string& out, float weight) {
  if (!std::isfinite(weight)) {
    out += "null";
    return;
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, weight).ptr;
  out.append(digits, end);
}

void append_weights(std::string& out, const MapPanel& panel) {
  const size_t columns = panel.columns.size();
  out += '[';
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    out += r == 0 ? "\n       [" : ",\n       [";
    for (size_t c = 0; c < columns; ++c) {
      if (c > 0) out += ", ";
      append_weight(out, panel.weights[r * columns + c]);
    }
    out += ']';
  }
  out += ']';
}

void append_panel(std::string& out, const MapPanel& panel) {
  out += "    {\"title\": " + json_string(panel.title) + ", \"kind\": " + json_string(panel.kind);
  out += ", \"layer\": " + (panel.layer < 0 ? "null" : std::to_string(panel.layer));
  out += ", \"head\": " + (panel.head < 0 ? "null" : std::to_string(panel.head));
  out += ",\n     \"rows\": ";
  append_labels(out, panel.rows);
  out += ",\n     \"columns\": ";
  append_labels(out, panel.columns);
  out += ",\n     \"weights\": ";
  append_weights(out, panel);
  out += '}';
}

/// Reads one object's fields; every complaint names the file and the place in it.
class Reader {
 public:
  Reader(const Json& object, std::string place, const std::string& path)
      : object_(object), place_(std::move(place)), path_(path) {
    if (!object.is_object()) fail("", "expected an object, found " + kind_of(object));
  }

  std::string text(const char* key, const std::string& absent = "") const {
    const Json* value = find(key);
    if (value == nullptr) return absent;
    if (!value->is_string()) fail(key, "expected text, found " + kind_of(*value));
    return value->get<std::string>();
  }

  /// A number from 0; absent or null gives -1.
  int64_t index(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr || value->is_null()) return -1;
    const bool fits = value->is_number_unsigned() &&
                      value->get<uint64_t>() <= std::numeric_limits<int32_t>::max();
    if (!fits) fail(key, "expected null or a whole number from 0, found " + kind_of(*value));
    return value->get<int64_t>();
  }

  const Json& array(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) fail(key, "is missing");
    if (!value->is_array()) fail(key, "expected an array, found " + kind_of(*value));
    return *value;
  }

  std::vector<std::string> labels(const char* key) const {
    std::vector<std::string> labels;
    for (const Json& label : array(key)) {
      if (!label.is_string()) fail(key, "expected texts, found " + kind_of(label));
      labels.push_back(label.get<std::string>());
    }
    return labels;
  }

  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    std::string where = place_;
    if (!key.empty()) where += (where.empty() ? "\"" : ", \"") + key + "\"";
    throw DataError(path_,
                    "not an attention map: " + (where.empty() ? "" : where + ": ") + message);
  }

  static std::string kind_of(const Json& value) {
    return value.is_number() ? "the number " + value.dump() : value.type_name();
  }

 private:
  const Json& object_;
  std::string place_;
  const std::string& path_;
};

/// `row` and `column` count from 1.
float read_weight(const Json& value, size_t row, size_t column, const Reader& panel) {
  const auto refuse = [&](const std::string& message) {
    panel.fail("weights", "row " + std::to_string(row) + ", column " + std::to_string(column) +
                              ": " + message);
  };
  if (value.is_null()) return std::numeric_limits<float>::quiet_NaN();
  if (!value.is_number()) refuse("expected a number or null, found " + Reader::kind_of(value));
  const std::optional<float> weight = round_to_float(value.get<double>());
  if (!weight) refuse("the number " + value.dump() + " is too large; the largest is 3.4e38");
  return weight.value_or(0);
}

void read_weights(MapPanel& panel, const Reader& reader) {
  const Json& rows = reader.array("weights");
  if (rows.size() != panel.rows.size())
    reader.fail("weights", "expected " + std::to_string(panel.rows.size()) +
                               " rows, as there are labels, found " + std::to_string(rows.size()));
  for (size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r].is_array() || rows[r].size() != panel.columns.size())
      reader.fail("weights", "row " + std::to_string(r + 1) + ": expected an array of " +
                                 std::to_string(panel.columns.size()) + " numbers");
    for (size_t c = 0; c < rows[r].size(); ++c)
      panel.weights.push_back(read_weight(rows[r][c], r + 1, c + 1, reader));
  }
}

MapPanel read_panel(const Json& json, size_t number, const std::string& path) {
  const Reader reader(json, "panel " + std::to_string(number), path);
  MapPanel panel;
  panel.title = reader.text("title");
  panel.kind = reader.text("kind");
  panel.layer = reader.index("layer");
  panel.head = reader.index("head");
  panel.rows = reader.labels("rows");
  panel.columns = reader.labels("columns");
  read_weights(panel, reader);
  return panel;
}

std::vector<std::string> counted(size_t n) {
  std::vector<std::string> labels;
  for (size_t i = 1; i <= n; ++i) labels.push_back(std::to_string(i));
  return labels;
}

// A bare matrix, [[0.1, 0.9], [0.4, 0.6]], as other programs print it.
AttentionMap read_matrix(Json matrix, const std::string& path) {
  Json object = Json::object();
  object["weights"] = std::move(matrix);  // a copy of deep nesting would recurse
  const Json& rows = object["weights"];
  const Reader reader(object, "", path);
  if (!rows.empty() && !rows[0].is_array())
    reader.fail("", "expected rows of numbers, as in [[0.1, 0.9], [0.4, 0.6]], found " +
                        Reader::kind_of(rows[0]) + " in the place of a row");
  MapPanel panel;
  panel.rows = counted(rows.size());
  panel.columns = counted(rows.empty() ? 0 : rows[0].size());
  read_weights(panel, reader);
  AttentionMap map;
  map.panels.push_back(std::move(panel));
  return map;
}

void check_header(const Reader& reader) {
  if (reader.text("format") != kFormat)
    reader.fail("format", std::string("expected \"") + kFormat + "\"");
  const int64_t version = reader.index("version");
  if (version < 1) reader.fail("version", "expected a whole number from 1");
  if (version > AttentionMap::kVersion)
    reader.fail("version", "this file has version " + std::to_string(version) +
                               ", the newest known here is " +
                               std::to_string(AttentionMap::kVersion));
}

/// Where parsing stops. The exceptions of a tree's parser don't say it for a number that is too
/// large; the events do.
class Stop : public nlohmann::json_sax<Json> {
 public:
  size_t byte = 0;    // after the last one read
  std::string token;  // what was read last

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string& last_token,
                   const nlohmann::detail::exception&) override {
    byte = position;
    token = last_token;
    return false;
  }
};

[[noreturn]] void refuse_json(const std::string& json, const std::string& path,
                              const Json::exception& error) {
  Stop stop;
  Json::sax_parse(json, &stop);
  const bool too_large = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
  const size_t end = std::min(json.size(), stop.byte);
  const size_t start = end - std::min(end, too_large ? stop.token.size() : size_t{1});
  const auto line = 1 + std::count(json.begin(), json.begin() + static_cast<int64_t>(start), '\n');
  const size_t line_start = start == 0 ? 0 : json.rfind('\n', start - 1) + 1;  // npos + 1 is 0
  const auto column = static_cast<int64_t>(start - line_start) + 1;
  std::string message;
  if (too_large) {
    message = "the number " + cut_to_width(stop.token, 40) + " is too large; the largest is 3.4e38";
  } else if (json.compare(start, 2, "Na") == 0 || json.compare(start, 2, "In") == 0) {
    message = "JSON has no NaN and no Infinity; write null, which is drawn as no number";
  } else {
    // The library's message starts with a tag in brackets and the place; the reader needs the rest.
    const std::string what = error.what();
    const size_t rest = what.find("syntax error");
    message = cut_to_width(rest == std::string::npos ? what : what.substr(rest), 240);
  }
  throw DataError(path, line, column, "not an attention map: " + message);
}

Json parse(const std::string& json, const std::string& path) {
  try {
    return Json::parse(json);
  } catch (const Json::out_of_range& error) {
    refuse_json(json, path, error);
  } catch (const Json::parse_error& error) {
    refuse_json(json, path, error);
  }
}

}  // namespace

std::string to_json(const AttentionMap& map) {
  check_map(map, "to_json");
  std::string out = std::string("{\"format\": \"") + kFormat +
                    "\", \"version\": " + std::to_string(AttentionMap::kVersion);
  out += ",\n \"title\": " + json_string(map.title);
  out += ",\n \"source\": " + json_string(map.source);
  out += ",\n \"target\": " + json_string(map.target);
  out += ",\n \"row_axis\": " + json_string(map.row_axis);
  out += ", \"column_axis\": " + json_string(map.column_axis);
  out += ",\n \"panels\": [";
  for (size_t i = 0; i < map.panels.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    append_panel(out, map.panels[i]);
  }
  out += "]}\n";
  return out;
}

AttentionMap from_json(const std::string& json, const std::string& path) {
  Json root = parse(json, path);
  if (root.is_array()) return read_matrix(std::move(root), path);
  const Reader reader(root, "", path);
  check_header(reader);
  AttentionMap map;
  map.title = reader.text("title");
  map.source = reader.text("source");
  map.target = reader.text("target");
  map.row_axis = reader.text("row_axis", map.row_axis);
  map.column_axis = reader.text("column_axis", map.column_axis);
  size_t number = 0;
  for (const Json& panel : reader.array("panels"))
    map.panels.push_back(read_panel(panel, ++number, path));
  return map;
}

}  // namespace attend::render
