#include "attend/render/check.h"

#include "attend/core/errors.h"
#include "attend/core/shape.h"

namespace attend::render {

void check_map(const AttentionMap& map, const std::string& operation) {
  for (const MapPanel& panel : map.panels) {
    if (panel.weights.size() == panel.rows.size() * panel.columns.size()) continue;
    const std::vector<size_t> shape{panel.rows.size(), panel.columns.size()};
    throw InvalidArgument("[" + operation + "] expected weights for labels of shape " +
                          core::shape_text(shape) + " in panel \"" + panel_title(panel) +
                          "\", found " + std::to_string(panel.weights.size()) + " weights");
  }
}

std::string panel_title(const MapPanel& panel) {
  if (!panel.title.empty()) return panel.title;
  std::string title = panel.kind;
  const auto add = [&title](const std::string& part) {
    title += (title.empty() ? "" : ", ") + part;
  };
  if (panel.layer >= 0) add("layer " + std::to_string(panel.layer + 1));
  if (panel.head >= 0) add("head " + std::to_string(panel.head + 1));
  return title;
}

}  // namespace attend::render
