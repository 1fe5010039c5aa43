#include "attend/render/diagram_grid.h"

#include <algorithm>
#include <map>
#include <set>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"
#include "attend/render/text_metrics.h"

namespace attend::render {

DiagramGrid diagram_grid(const Diagram& diagram) {
  DiagramGrid grid;
  std::map<std::string, size_t> index;
  std::set<std::pair<int, int>> places;
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
  return grid;
}

}  // namespace attend::render
