#include "attend/data/quoting.h"

#include <algorithm>

namespace attend::data {
namespace {

constexpr int64_t kLongestCell = 50;  // lines

bool is_odd(std::string_view cell) { return std::count(cell.begin(), cell.end(), '"') % 2 == 1; }

bool opens(std::string_view cell) { return cell.starts_with('"') && is_odd(cell); }

bool closes(std::string_view cell) { return cell.ends_with('"') && is_odd(cell); }

// "say ""hi"" now": quotes at both ends, all of those between in pairs, and one of the pairs at the
// edge of a word. Two quotations without a blank between, "Why?""So.", have none there.
bool has_doubled(std::string_view cell) {
  if (cell.size() < 6 || !cell.starts_with('"') || !cell.ends_with('"')) return false;
  cell = cell.substr(1, cell.size() - 2);
  const auto is_edge = [&](size_t at) { return at >= cell.size() || cell[at] == ' '; };
  bool found = false;
  for (size_t i = cell.find('"'); i != std::string_view::npos; i = cell.find('"', i + 2)) {
    if (i + 1 == cell.size() || cell[i + 1] != '"') return false;
    found = found || i == 0 || is_edge(i - 1) || is_edge(i + 2);
  }
  return found;
}

}  // namespace

bool holds_doubled_quotes(std::string_view line) {
  if (line.find('"') == std::string_view::npos) return false;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    if (has_doubled(line.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

int64_t QuoteWatch::add(std::string_view line, int64_t number) {
  const std::string_view first = line.substr(0, line.find('\t'));
  const std::string_view last = line.substr(line.rfind('\t') + 1);  // npos + 1 is 0
  const int64_t columns = std::count(line.begin(), line.end(), '\t') + 1;
  most_columns_ = std::max(most_columns_, columns);
  int64_t begun = 0;
  if (open_ > 0 && closes(first) && std::min(open_columns_, columns) < most_columns_) begun = open_;
  const bool goes_on = columns == 1 && line.find('"') == std::string_view::npos;
  if (!goes_on || number - open_ >= kLongestCell) open_ = 0;
  if (opens(last) && !(begun > 0 && columns == 1)) {
    open_ = number;
    open_columns_ = columns;
  }
  if (begun > 0) return begun;
  return holds_doubled_quotes(line) ? number : 0;
}

}  // namespace attend::data
