#include "attend/render/map_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/check.h"
#include "attend/render/select.h"
#include "attend/render/value_scale.h"

namespace attend::render {
namespace {

struct Cell {
  std::string text;
  bool quoted = false;
};

struct Row {
  std::vector<Cell> cells;
  int64_t line = 0;  // where it begins, from 1
};

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A number too large or too small for a double: infinite or 0, and no label.
double beyond_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent == std::string_view::npos
                        ? text.starts_with('0') || text.starts_with('.')
                        : text.substr(exponent + 1).starts_with('-');
  const double size = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -size : size;
}

std::optional<float> parse_number(const Cell& cell) {
  if (cell.quoted) return std::nullopt;
  std::string_view text = trim(cell.text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error != std::errc()) value = beyond_double(text);
  return std::isfinite(value) ? round_to_float(value) : static_cast<float>(value);
}

char guess_separator(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  char best = ',';
  int64_t most = 0;
  for (const char c : {',', ';', '\t'}) {
    bool quoted = false;
    int64_t count = 0;
    for (const char byte : line) {
      if (byte == '"') quoted = !quoted;
      if (byte == c && !quoted) ++count;
    }
    if (count > most) {
      most = count;
      best = c;
    }
  }
  return best;
}

/// Cuts the text into rows of cells, as RFC 4180 has it.
class Splitter {
 public:
  Splitter(std::string_view bytes, char separator, const std::string& path)
      : bytes_(bytes), separator_(separator), path_(path) {}

  std::vector<Row> rows() {
    std::vector<Row> rows;
    while (at_ < bytes_.size()) {
      Row row = next_row();
      const bool blank =
          row.cells.size() == 1 && !row.cells[0].quoted && trim(row.cells[0].text).empty();
      if (!blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Row next_row() {
    Row row;
    row.line = line_;
    while (true) {
      row.cells.push_back(next_cell(static_cast<int64_t>(row.cells.size()) + 1));
      if (at_ < bytes_.size() && bytes_[at_] == separator_) {
        ++at_;
        continue;
      }
      end_line();
      return row;
    }
  }

  Cell next_cell(int64_t column) {
    if (at_ < bytes_.size() && bytes_[at_] == '"') return quoted_cell(column);
    Cell cell;
    while (at_ < bytes_.size() && bytes_[at_] != separator_ && !at_line_end())
      cell.text += bytes_[at_++];
    return cell;
  }

  Cell quoted_cell(int64_t column) {
    Cell cell;
    cell.quoted = true;
    const int64_t begun = line_;
    ++at_;
    while (at_ < bytes_.size()) {
      const char c = bytes_[at_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        cell.text += c;
      } else if (at_ < bytes_.size() && bytes_[at_] == '"') {
        cell.text += '"';
        ++at_;
      } else {
        if (at_ < bytes_.size() && bytes_[at_] != separator_ && !at_line_end())
          throw DataError(path_, line_, column, "text after the closing quote of a cell");
        return cell;
      }
    }
    throw DataError(path_, begun, column, "the quote that opens here is never closed");
  }

  bool at_line_end() const {
    return bytes_[at_] == '\n' ||
           (bytes_[at_] == '\r' && (at_ + 1 == bytes_.size() || bytes_[at_ + 1] == '\n'));
  }

  void end_line() {
    if (at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
    if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view bytes_;
  char separator_;
  const std::string& path_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

bool is_text(const Cell& cell) { return !parse_number(cell).has_value(); }

bool corner_is_empty(const std::vector<Row>& rows) {
  const Cell& corner = rows[0].cells[0];
  return trim(corner.text).empty() || corner.text.find('\\') != std::string::npos;
}

bool has_header(const std::vector<Row>& rows, Presence presence) {
  if (presence != Presence::kAuto) return presence == Presence::kYes;
  const std::vector<Cell>& first = rows[0].cells;
  return corner_is_empty(rows) || std::any_of(first.begin() + 1, first.end(), is_text) ||
         (first.size() == 1 && is_text(first[0]));
}

bool has_labels(const std::vector<Row>& rows, Presence presence, bool header) {
  if (presence != Presence::kAuto) return presence == Presence::kYes;
  if (header && corner_is_empty(rows)) return true;
  for (size_t r = header ? 1 : 0; r < rows.size(); ++r)
    if (is_text(rows[r].cells[0])) return true;
  return false;
}

void name_axes(AttentionMap& map, const std::string& corner) {
  const size_t cut = corner.find('\\');
  if (cut == std::string::npos) return;
  map.row_axis = corner.substr(0, cut);
  map.column_axis = corner.substr(cut + 1);
}

std::string label_text(const Cell& cell) {
  return cell.quoted ? cell.text : std::string(trim(cell.text));
}

void check_width(const Row& row, size_t width, const std::string& path) {
  if (row.cells.size() == width) return;
  throw DataError(path, row.line, 0,
                  "expected " + std::to_string(width) + " cells, as in the first row, found " +
                      std::to_string(row.cells.size()));
}

void read_row(MapPanel& panel, const Row& row, size_t first, const std::string& path) {
  for (size_t c = first; c < row.cells.size(); ++c) {
    const std::optional<float> value = parse_number(row.cells[c]);
    if (!value)
      throw DataError(path, row.line, static_cast<int64_t>(c) + 1,
                      "expected a number, found \"" + row.cells[c].text.substr(0, 40) + "\"");
    panel.weights.push_back(*value);
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string number_text(float value) {
  if (std::isnan(value)) return "nan";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

}  // namespace

AttentionMap map_from_csv(const std::string& bytes, const std::string& path,
                          const CsvOptions& options) {
  const size_t invalid = core::find_invalid_utf8(bytes);
  if (invalid != std::string::npos) {
    const auto line =
        std::count(bytes.begin(), bytes.begin() + static_cast<int64_t>(invalid), '\n');
    throw DataError(path, line + 1, 0, "not valid UTF-8 text");
  }
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const char separator = options.separator == '\0' ? guess_separator(text) : options.separator;
  const std::vector<Row> rows = Splitter(text, separator, path).rows();
  if (rows.empty()) throw DataError(path, "expected a matrix of numbers, found nothing");

  const bool header = has_header(rows, options.header);
  const bool labels = has_labels(rows, options.labels, header);
  const size_t first = labels ? 1 : 0;
  const size_t width = rows[0].cells.size();
  AttentionMap map;
  MapPanel panel;
  if (header && labels) name_axes(map, rows[0].cells[0].text);
  for (size_t c = first; c < width; ++c)
    panel.columns.push_back(header ? label_text(rows[0].cells[c]) : std::to_string(c - first + 1));
  for (size_t r = header ? 1 : 0; r < rows.size(); ++r) {
    check_width(rows[r], width, path);
    panel.rows.push_back(labels ? label_text(rows[r].cells[0])
                                : std::to_string(panel.rows.size() + 1));
    read_row(panel, rows[r], first, path);
  }
  map.panels.push_back(std::move(panel));
  return map;
}

std::string map_to_csv(const AttentionMap& map) {
  check_map(map, "csv");
  if (map.panels.size() != 1)
    throw InvalidArgument(
        "[csv] a CSV file holds one panel; choose it with --layer and --head. "
        "There is: " +
        list_panels(map));
  const MapPanel& panel = map.panels[0];
  std::string out = quoted(map.row_axis + "\\" + map.column_axis);
  for (const std::string& label : panel.columns) out += "," + quoted(core::mend_utf8(label));
  out += '\n';
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    out += quoted(core::mend_utf8(panel.rows[r]));
    for (size_t c = 0; c < panel.columns.size(); ++c)
      out += "," + number_text(panel.weights[r * panel.columns.size() + c]);
    out += '\n';
  }
  return out;
}

}  // namespace attend::render
