#include "attend/render/map_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/check.h"
#include "attend/render/csv_rows.h"
#include "attend/render/select.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

using Rows = std::vector<CsvRow>;

bool is_text(const CsvCell& cell, Comma comma) {
  return parse_number(cell, comma).kind == CsvNumber::Kind::kText;
}

bool corner_is_empty(const Rows& rows) {
  const CsvCell& corner = rows[0].cells[0];
  return trim_blanks(corner.text).empty() || corner.text.find('\\') != std::string::npos;
}

// "0.3x": it begins as a number does.
bool is_broken_number(const CsvCell& cell) {
  std::string_view text = trim_blanks(cell.text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return !cell.quoted && !text.empty() && text[0] >= '0' && text[0] <= '9';
}

[[noreturn]] void refuse_cell(const CsvRow& row, size_t column, const std::string& path,
                              const std::string& message) {
  throw DataError(path, row.line, static_cast<int64_t>(column) + 1, message);
}

// Whether these cells, (row, column) each, are labels: one of them is text. Numbers of which one is
// mistyped are no labels, and are not to be lost as such.
bool hold_labels(const Rows& rows, const std::vector<std::pair<size_t, size_t>>& cells, Comma comma,
                 const std::string& path) {
  const std::pair<size_t, size_t>* broken = nullptr;
  bool has_number = false, has_word = false;
  for (const auto& at : cells) {
    const CsvCell& cell = rows[at.first].cells[at.second];
    if (!is_text(cell, comma))
      has_number = true;
    else if (!is_broken_number(cell))
      has_word = true;
    else if (broken == nullptr)
      broken = &at;
  }
  if (broken != nullptr && has_number && !has_word)
    refuse_cell(rows[broken->first], broken->second, path,
                "expected a number, found \"" +
                    cut_to_width(rows[broken->first].cells[broken->second].text, 40) +
                    "\" among numbers; quote it if they are labels");
  return has_word || broken != nullptr;
}

bool has_header(const Rows& rows, Presence presence, Comma comma, const std::string& path) {
  if (presence != Presence::kAuto) return presence == Presence::kYes;
  if (corner_is_empty(rows)) return true;
  const size_t width = rows[0].cells.size();
  std::vector<std::pair<size_t, size_t>> cells;
  for (size_t c = width == 1 ? 0 : 1; c < width; ++c) cells.emplace_back(0, c);
  return hold_labels(rows, cells, comma, path);
}

bool has_labels(const Rows& rows, Presence presence, bool header, Comma comma,
                const std::string& path) {
  if (presence != Presence::kAuto) return presence == Presence::kYes;
  if (header && corner_is_empty(rows)) return true;
  if (rows[0].cells.size() == 1) return false;  // nothing would be left
  std::vector<std::pair<size_t, size_t>> cells;
  for (size_t r = header ? 1 : 0; r < rows.size(); ++r) cells.emplace_back(r, 0);
  return hold_labels(rows, cells, comma, path);
}

// R's write.table() has no cell above the labels: the first line is one shorter than the others.
void add_corner(Rows& rows, Comma comma) {
  if (rows.size() < 2 || rows[1].cells.size() != rows[0].cells.size() + 1) return;
  const auto is_label = [comma](const CsvCell& cell) { return is_text(cell, comma); };
  if (is_label(rows[1].cells[0]) &&
      std::all_of(rows[0].cells.begin(), rows[0].cells.end(), is_label))
    rows[0].cells.insert(rows[0].cells.begin(), CsvCell());
}

void name_axes(AttentionMap& map, const std::string& corner) {
  const size_t cut = corner.find('\\');
  if (cut == std::string::npos) return;
  map.row_axis = corner.substr(0, cut);
  map.column_axis = corner.substr(cut + 1);
}

std::string label_text(const CsvCell& cell) {
  return cell.quoted ? cell.text : std::string(trim_blanks(cell.text));
}

void check_width(const CsvRow& row, size_t width, const std::string& path) {
  if (row.cells.size() == width) return;
  throw DataError(path, row.line, 0,
                  "expected " + std::to_string(width) + " cells, as in the first row, found " +
                      std::to_string(row.cells.size()));
}

void read_row(MapPanel& panel, const CsvRow& row, size_t first, Comma comma,
              const std::string& path) {
  for (size_t c = first; c < row.cells.size(); ++c) {
    const CsvNumber number = parse_number(row.cells[c], comma);
    const std::string shown = "\"" + cut_to_width(row.cells[c].text, 40) + "\"";
    if (number.kind == CsvNumber::Kind::kTooLarge)
      refuse_cell(row, c, path, "the number " + shown + " is too large; the largest is 3.4e38");
    if (number.kind == CsvNumber::Kind::kText)
      refuse_cell(row, c, path, "expected a number, found " + shown);
    panel.weights.push_back(number.value);
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
  const Comma comma = separator == ',' ? Comma::kSeparates : Comma::kIsPoint;
  Rows rows = split_rows(text, separator, path);
  if (rows.empty()) throw DataError(path, "expected a matrix of numbers, found nothing");

  add_corner(rows, comma);
  const bool header = has_header(rows, options.header, comma, path);
  const bool labels = has_labels(rows, options.labels, header, comma, path);
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
    read_row(panel, rows[r], first, comma, path);
  }
  // What map_to_csv() writes of an empty map names its axes.
  if (panel.weights.empty() && rows[0].cells[0].text.find('\\') == std::string::npos)
    throw DataError(path, rows[0].line, 0,
                    "expected a matrix of numbers, found labels only (a cell in quotes is one)");
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
