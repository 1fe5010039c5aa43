#include "attend/render/csv_rows.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "attend/core/errors.h"
#include "attend/render/value_scale.h"

namespace attend::render {
namespace {

// The separator is known from that much.
constexpr size_t kGuessedRows = 64;
constexpr size_t kGuessedBytes = 1 << 20;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Splitter {
 public:
  Splitter(std::string_view bytes, char separator, const std::string& path)
      : bytes_(bytes),
        separator_(separator),
        path_(path),
        has_line_feeds_(bytes.find('\n') != std::string_view::npos) {}

  std::vector<CsvRow> rows(size_t most) {
    std::vector<CsvRow> rows;
    while (at_ < bytes_.size() && rows.size() < most) {
      if (at_comment()) {
        while (at_ < bytes_.size() && !at_line_end()) ++at_;
        end_line();
        continue;
      }
      CsvRow row = next_row();
      const bool blank =
          row.cells.size() == 1 && !row.cells[0].quoted && trim_blanks(row.cells[0].text).empty();
      if (!blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  CsvRow next_row() {
    CsvRow row;
    row.line = line_;
    skip_blanks();
    while (true) {
      row.cells.push_back(next_cell(static_cast<int64_t>(row.cells.size()) + 1));
      if (at_ < bytes_.size() && is_separator(bytes_[at_])) {
        ++at_;
        skip_blanks();
        if (separator_ != ' ' || (at_ < bytes_.size() && !at_line_end())) continue;
      }
      end_line();
      return row;
    }
  }

  CsvCell next_cell(int64_t column) {
    if (at_ < bytes_.size() && bytes_[at_] == '"') return quoted_cell(column);
    CsvCell cell;
    while (at_ < bytes_.size() && !is_separator(bytes_[at_]) && !at_line_end())
      cell.text += bytes_[at_++];
    return cell;
  }

  CsvCell quoted_cell(int64_t column) {
    CsvCell cell;
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
        if (at_ < bytes_.size() && !is_separator(bytes_[at_]) && !at_line_end())
          throw DataError(path_, line_, column, "text after the closing quote of a cell");
        return cell;
      }
    }
    throw DataError(path_, begun, column, "the quote that opens here is never closed");
  }

  /// At "# ..." or a bare '#': whatever quotes may follow.
  bool at_comment() const {
    size_t at = at_;
    while (at < bytes_.size() && is_blank(bytes_[at])) ++at;
    if (at == bytes_.size() || bytes_[at] != '#') return false;
    return at + 1 == bytes_.size() || is_blank(bytes_[at + 1]) || bytes_[at + 1] == '\r' ||
           bytes_[at + 1] == '\n';
  }

  bool is_separator(char c) const { return separator_ == ' ' ? is_blank(c) : c == separator_; }

  /// Blanks before a cell belong to the separator only where blanks are the separator.
  void skip_blanks() {
    while (separator_ == ' ' && at_ < bytes_.size() && is_blank(bytes_[at_])) ++at_;
  }

  bool at_line_end() const {
    return bytes_[at_] == '\n' ||
           (bytes_[at_] == '\r' &&
            (!has_line_feeds_ || at_ + 1 == bytes_.size() || bytes_[at_ + 1] == '\n'));
  }

  void end_line() {
    if (at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
    if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view bytes_;
  char separator_;
  const std::string& path_;
  bool has_line_feeds_;  // else a carriage return ends a line on its own
  size_t at_ = 0;
  int64_t line_ = 1;
};

// "#x": a comment unless it is as wide as the lines that begin with something else.
std::vector<CsvRow> without_comments(std::vector<CsvRow> rows) {
  const auto has_hash = [](const CsvRow& row) {
    return !row.cells[0].quoted && trim_blanks(row.cells[0].text).starts_with('#');
  };
  const auto first = std::find_if_not(rows.begin(), rows.end(), has_hash);
  const size_t width = first == rows.end() ? 0 : first->cells.size();
  std::erase_if(rows, [&](const CsvRow& row) {
    return has_hash(row) && (width < 2 || row.cells.size() != width);
  });
  return rows;
}

// A number too large or too small for a double: 0, or nothing.
std::optional<double> beyond_double(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent == std::string_view::npos
                        ? text.starts_with('0') || text.starts_with('.')
                        : text.substr(exponent + 1).starts_with('-');
  return tiny ? std::optional<double>(0.0) : std::nullopt;
}

// Of the first rows, cut at this separator: the numbers, and the cells that are none.
std::pair<int64_t, int64_t> numbers_and_others(std::string_view bytes, char separator) {
  const Comma comma = separator == ',' ? Comma::kSeparates : Comma::kIsPoint;
  std::vector<CsvRow> rows;
  try {
    rows = without_comments(Splitter(bytes, separator, "").rows(kGuessedRows));
  } catch (const DataError&) {
    return {0, 0};
  }
  std::pair<int64_t, int64_t> count;
  for (const CsvRow& row : rows) {
    if (row.cells.size() < 2) continue;
    for (const CsvCell& cell : row.cells) {
      const bool is_text = parse_number(cell, comma).kind == CsvNumber::Kind::kText;
      ++(is_text ? count.second : count.first);
    }
  }
  return count;
}

}  // namespace

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<CsvRow> split_rows(std::string_view bytes, char separator, const std::string& path) {
  return without_comments(Splitter(bytes, separator, path).rows(bytes.size() + 1));
}

char guess_separator(std::string_view bytes) {
  bytes = bytes.substr(0, kGuessedBytes);
  // "0,5 0,25" has more commas than blanks, but two numbers only if the blank parts them: what
  // leaves the fewest cells that are no numbers is right, and where that is even, the most numbers.
  char best = ',';
  int64_t best_score = std::numeric_limits<int64_t>::min();
  for (const char c : {',', ';', '\t', ' '}) {
    const auto [numbers, others] = numbers_and_others(bytes, c);
    if (numbers == 0 || numbers - others <= best_score) continue;
    best = c;
    best_score = numbers - others;
  }
  return best;
}

CsvNumber parse_number(const CsvCell& cell, Comma comma) {
  using Kind = CsvNumber::Kind;
  if (cell.quoted) return {};
  std::string text(trim_blanks(cell.text));
  if (text.starts_with('+')) text.erase(0, 1);
  if (comma == Comma::kIsPoint && !text.empty() && text.find('.') == std::string::npos) {
    const size_t at = text.find(',');
    if (at < text.size() - 1 && std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0)
      text[at] = '.';
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return {};
  if (error != std::errc()) {
    const auto tiny = beyond_double(text);
    if (!tiny) return {Kind::kTooLarge, 0};
    value = *tiny;
  }
  if (!std::isfinite(value)) return {Kind::kNumber, static_cast<float>(value)};
  const auto rounded = round_to_float(value);
  return rounded ? CsvNumber{Kind::kNumber, *rounded} : CsvNumber{Kind::kTooLarge, 0};
}

}  // namespace attend::render
