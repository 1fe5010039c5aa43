#include "attend/lessons/table_text.h"

#include <algorithm>
#include <numeric>

#include "attend/render/text_metrics.h"

namespace attend::lessons {
namespace {

constexpr int kNarrowest = 6;
constexpr int kGap = 2;

std::vector<int> column_widths(const Table& table, int width) {
  std::vector<int> widths(table.columns.size(), 0);
  const auto measure = [&](const std::vector<std::string>& row) {
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], render::display_width(render::printable(row[c])));
  };
  measure(table.columns);
  for (const auto& row : table.rows) measure(row);
  const int gaps = kGap * (static_cast<int>(widths.size()) - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (widest == widths.end() || *widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

void add_row(std::vector<std::string>& lines, const std::vector<std::string>& row,
             const std::vector<int>& widths) {
  std::vector<std::vector<std::string>> cells;
  size_t height = 1;
  for (size_t c = 0; c < row.size(); ++c) {
    cells.push_back(
        render::wrap(render::printable(row[c]), widths[c], [](std::string_view cluster) {
          return static_cast<double>(render::display_width(cluster));
        }));
    height = std::max(height, cells.back().size());
  }
  for (size_t part = 0; part < height; ++part) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c)
      line += (c > 0 ? std::string(kGap, ' ') : "") +
              render::pad_right(part < cells[c].size() ? cells[c][part] : "", widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
}

}  // namespace

std::vector<std::string> table_lines(const Table& table, int width) {
  const std::vector<int> widths = column_widths(table, width);
  std::vector<std::string> lines;
  add_row(lines, table.columns, widths);
  std::string rule;
  for (size_t c = 0; c < widths.size(); ++c)
    rule +=
        (c > 0 ? std::string(kGap, ' ') : "") + std::string(static_cast<size_t>(widths[c]), '-');
  lines.push_back(std::move(rule));
  for (const auto& row : table.rows) add_row(lines, row, widths);
  return lines;
}

}  // namespace attend::lessons
