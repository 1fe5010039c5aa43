#include "attend/render/diagram_grid.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

using Places = std::set<std::pair<int, int>>;  // (column, row) of every box

// Whether no box is in the column from `first` to `last`, both included.
bool is_free(const Places& places, int column, int first, int last) {
  for (int row = first; row <= last; ++row)
    if (places.count({column, row})) return false;
  return true;
}

ArrowRoute route_of(const DiagramBox& from, const DiagramBox& to, const Places& places) {
  const int columns = to.column - from.column;
  if (from.row == to.row && std::abs(columns) == 1) return ArrowRoute::kLevel;
  if (columns == 0) {
    const auto [upper, lower] = std::minmax(from.row, to.row);
    return is_free(places, to.column, upper + 1, lower - 1) ? ArrowRoute::kStraight
                                                            : ArrowRoute::kBypass;
  }
  if (columns == 1) return ArrowRoute::kElbow;
  const bool is_back =
      columns == -1 && from.row > to.row && is_free(places, to.column, to.row + 1, from.row);
  return is_back ? ArrowRoute::kBack : ArrowRoute::kAcross;
}

// A bypass enters a box at its first line and leaves it at its last: these have to be two.
void part_bypasses(DiagramGrid& grid) {
  std::set<size_t> entered, left;
  for (size_t i = 0; i < grid.arrows.size(); ++i) {
    if (grid.routes[i] != ArrowRoute::kBypass) continue;
    left.insert(grid.arrows[i].first);
    entered.insert(grid.arrows[i].second);
  }
  for (const size_t box : entered)
    if (left.count(box) && grid.lines[box].size() == 1) grid.lines[box].emplace_back();
}

}  // namespace

DiagramGrid diagram_grid(const Diagram& diagram) {
  DiagramGrid grid;
  std::map<std::string, size_t> index;
  Places places;
  for (const DiagramBox& box : diagram.boxes) {
    if (!index.emplace(box.id, index.size()).second)
      throw InvalidArgument("[diagram] expected one box \"" + box.id + "\", found two");
    if (box.column < 0 || box.row < 0 || !places.insert({box.column, box.row}).second)
      throw InvalidArgument("[diagram] expected a free place from 0 on for box \"" + box.id +
                            "\", found column " + std::to_string(box.column) + ", row " +
                            std::to_string(box.row));
    grid.columns = std::max(grid.columns, static_cast<size_t>(box.column) + 1);
    grid.rows = std::max(grid.rows, static_cast<size_t>(box.row) + 1);
    std::vector<std::string> lines;
    for (const auto& line : core::split_lines(box.text)) lines.push_back(printable(line));
    if (lines.empty()) lines.emplace_back();
    grid.text_lines.push_back(lines.size());
    for (const auto& line : core::split_lines(box.details)) lines.push_back(printable(line));
    grid.lines.push_back(std::move(lines));
  }
  for (const DiagramArrow& arrow : diagram.arrows) {
    for (const std::string& id : {arrow.from, arrow.to})
      if (!index.count(id))
        throw InvalidArgument("[diagram] expected an arrow between boxes, found \"" + id + "\"");
    grid.arrows.emplace_back(index.at(arrow.from), index.at(arrow.to));
  }
  grid.has_bypass.assign(grid.columns, false);
  for (const auto& [from, to] : grid.arrows) {
    const DiagramBox& box = diagram.boxes[from];
    grid.routes.push_back(route_of(box, diagram.boxes[to], places));
    if (grid.routes.back() == ArrowRoute::kBypass)
      grid.has_bypass[static_cast<size_t>(box.column)] = true;
  }
  part_bypasses(grid);
  return grid;
}

}  // namespace attend::render
