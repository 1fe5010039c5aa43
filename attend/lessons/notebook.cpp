#include "attend/lessons/notebook.h"

#include "attend/core/errors.h"
#include "attend/lessons/figures.h"

namespace attend::lessons {
namespace {

constexpr int64_t kMostNumbers = 64;
constexpr int64_t kMostInRow = 12;

}  // namespace

void Notebook::step(std::string formula, const at::Tensor& value, Bilingual note) {
  Step step{std::move(formula), std::move(note), value.sizes().vec(), {}};
  const bool is_small =
      value.numel() <= kMostNumbers && (value.dim() == 0 || value.size(-1) <= kMostInRow);
  if (is_small) step.values = numbers(value);
  entries_.emplace_back(std::move(step));
}

void Notebook::table(Bilingual caption, std::vector<std::string> columns,
                     std::vector<std::vector<std::string>> rows) {
  for (const auto& row : rows)
    if (row.size() != columns.size())
      throw InvalidArgument("[notebook] expected " + std::to_string(columns.size()) +
                            " cells in a row of a table, found " + std::to_string(row.size()));
  entries_.emplace_back(Table{std::move(caption), std::move(columns), std::move(rows)});
}

void Notebook::map(Bilingual caption, render::AttentionMap map, MapLook look) {
  entries_.emplace_back(MapFigure{std::move(caption), std::move(map), std::move(look)});
}

void Notebook::curves(Bilingual caption, render::Curves curves) {
  entries_.emplace_back(CurveFigure{std::move(caption), std::move(curves)});
}

void Notebook::bars(Bilingual caption, render::Bars bars) {
  entries_.emplace_back(BarFigure{std::move(caption), std::move(bars)});
}

void Notebook::diagram(Bilingual caption, render::Diagram diagram) {
  entries_.emplace_back(DiagramFigure{std::move(caption), std::move(diagram)});
}

void Notebook::animation(Bilingual caption, std::vector<Frame> frames, MapLook look) {
  if (frames.empty())
    throw InvalidArgument("[notebook] expected an animation of frames, found none");
  const auto panels = [](const Frame& frame) { return frame.map.panels.size(); };
  for (const Frame& frame : frames)
    if (panels(frame) != panels(frames.front()))
      throw InvalidArgument("[notebook] expected " + std::to_string(panels(frames.front())) +
                            " panels in every frame, found " + std::to_string(panels(frame)));
  entries_.emplace_back(Animation{std::move(caption), std::move(frames), std::move(look)});
}

void Notebook::viewer(Bilingual caption, render::AttentionMap map) {
  for (const Entry& entry : entries_)
    if (std::holds_alternative<Viewer>(entry))
      throw InvalidArgument("[notebook] expected one viewer, found a second");
  entries_.emplace_back(Viewer{std::move(caption), std::move(map)});
}

}  // namespace attend::lessons
