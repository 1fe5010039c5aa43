#include "attend/render/select.h"

#include <utility>
#include <vector>

#include "attend/core/errors.h"
#include "attend/render/check.h"
#include "attend/render/text_metrics.h"

namespace attend::render {
namespace {

constexpr size_t kListedPanels = 32;

bool is_same_group(const MapPanel& a, const MapPanel& b) {
  return a.kind == b.kind && a.layer == b.layer && a.rows == b.rows && a.columns == b.columns;
}

/// Adds `panel` to the running sum in `group`, with doubles kept apart for exactness.
struct HeadGroup {
  MapPanel panel;
  std::vector<double> sum;
  int64_t heads = 0;

  explicit HeadGroup(const MapPanel& first) : panel(first), sum(first.weights.size(), 0.0) {}

  void add(const MapPanel& head) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += head.weights[i];
    ++heads;
  }

  MapPanel mean() && {
    for (size_t i = 0; i < sum.size(); ++i)
      panel.weights[i] = static_cast<float>(sum[i] / static_cast<double>(heads));
    panel.head = -1;
    panel.title.clear();
    panel.title = panel_title(panel);
    panel.title += (panel.title.empty() ? "mean over " : ", mean over ") + std::to_string(heads) +
                   (heads == 1 ? " head" : " heads");
    return std::move(panel);
  }
};

}  // namespace

std::string list_panels(const AttentionMap& map) {
  std::string text;
  for (size_t i = 0; i < map.panels.size() && i < kListedPanels; ++i) {
    MapPanel unnamed;
    unnamed.kind = map.panels[i].kind;
    unnamed.layer = map.panels[i].layer;
    unnamed.head = map.panels[i].head;
    std::string name = panel_title(unnamed);
    if (name.empty()) name = panel_title(map.panels[i]);
    if (name.empty()) name = "panel " + std::to_string(i + 1);
    text += (i == 0 ? "" : "; ") + cut_to_width(name, 60);
  }
  if (map.panels.size() > kListedPanels)
    text += "; and " + std::to_string(map.panels.size() - kListedPanels) + " more";
  return text.empty() ? "no panels" : text;
}

AttentionMap select(const AttentionMap& map, const Selection& selection) {
  AttentionMap chosen = map;
  chosen.panels.clear();
  for (const MapPanel& panel : map.panels) {
    if (selection.layer && panel.layer != *selection.layer) continue;
    if (selection.head && panel.head != *selection.head) continue;
    if (selection.kind && panel.kind != *selection.kind) continue;
    chosen.panels.push_back(panel);
  }
  if (!chosen.panels.empty()) return chosen;
  MapPanel wanted;
  wanted.kind = selection.kind.value_or("");
  wanted.layer = selection.layer.value_or(-1);
  wanted.head = selection.head.value_or(-1);
  throw InvalidArgument("[map] no panel fits \"" + panel_title(wanted) +
                        "\" (counted from 1); there is: " + list_panels(map));
}

AttentionMap mean_over_heads(const AttentionMap& map) {
  check_map(map, "mean over heads");
  // A group's place in the result is that of its first head; others keep their panel as it is.
  std::vector<HeadGroup> groups;
  std::vector<std::pair<bool, size_t>> order;  // (is a group, index)
  for (size_t i = 0; i < map.panels.size(); ++i) {
    const MapPanel& panel = map.panels[i];
    if (panel.head < 0) {
      order.emplace_back(false, i);
      continue;
    }
    size_t g = 0;
    while (g < groups.size() && !is_same_group(groups[g].panel, panel)) ++g;
    if (g == groups.size()) {
      groups.emplace_back(panel);
      order.emplace_back(true, g);
    }
    groups[g].add(panel);
  }
  AttentionMap mean = map;
  mean.panels.clear();
  for (const auto& [is_group, index] : order)
    mean.panels.push_back(is_group ? std::move(groups[index]).mean() : map.panels[index]);
  return mean;
}

}  // namespace attend::render
