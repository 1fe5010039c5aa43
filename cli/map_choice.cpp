#include "cli/map_choice.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "attend/core/errors.h"
#include "attend/core/nearest.h"
#include "attend/render/select.h"
#include "attend/render/text_metrics.h"

namespace attend::cli {
namespace {

enum class Room { kTerminal, kPicture, kOnePanel, kEverything };

Room room_of(const std::string& path) {
  if (path.empty()) return Room::kTerminal;
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (ending == ".csv") return Room::kOnePanel;
  return ending == ".svg" || ending == ".png" ? Room::kPicture : Room::kEverything;
}

bool has_kind(const render::AttentionMap& map, const std::string& kind) {
  return std::any_of(map.panels.begin(), map.panels.end(),
                     [&](const render::MapPanel& panel) { return panel.kind == kind; });
}

int64_t last_layer(const render::AttentionMap& map) {
  int64_t last = -1;
  for (const auto& panel : map.panels) last = std::max(last, panel.layer);
  return last;
}

int64_t head_number(const std::string& text) {
  int64_t head = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head);
  if (error != std::errc() || end != text.data() + text.size() || head < 1)
    throw InvalidArgument("--head: expected a number from 1, \"mean\" or \"all\", found \"" + text +
                          "\"");
  return head;
}

void check_kind(const render::AttentionMap& map, const std::string& kind) {
  if (kind.empty() || kind == "all" || has_kind(map, kind)) return;
  std::vector<std::string> kinds;
  for (const auto& panel : map.panels)
    if (!panel.kind.empty() && std::find(kinds.begin(), kinds.end(), panel.kind) == kinds.end())
      kinds.push_back(panel.kind);
  std::string list;
  for (const auto& there : kinds)
    list += (list.empty() ? "" : ", ") + render::cut_to_width(there, 60);
  throw InvalidArgument("--kind: this map has no \"" + kind + "\"" +
                        core::did_you_mean(kind, kinds) +
                        (list.empty() ? "; its panels are of no kind" : "; it has: " + list));
}

}  // namespace

render::AttentionMap choose_panels(const render::AttentionMap& map, const MapChoice& choice,
                                   const std::string& path) {
  check_kind(map, choice.kind);
  const Room room = room_of(path);
  const bool says_nothing = choice.kind.empty() && choice.layer == 0 && choice.head.empty();
  if (room == Room::kEverything && says_nothing) return map;

  render::Selection selection;
  if (choice.kind.empty() && has_kind(map, "cross")) selection.kind = "cross";
  if (!choice.kind.empty() && choice.kind != "all") selection.kind = choice.kind;
  if (choice.layer > 0) selection.layer = choice.layer - 1;
  if (choice.layer == 0 && room == Room::kOnePanel && last_layer(map) >= 0)
    selection.layer = last_layer(map);
  std::string head = choice.head;
  if (head.empty() && (room == Room::kTerminal || room == Room::kOnePanel)) head = "mean";
  if (!head.empty() && head != "mean" && head != "all") selection.head = head_number(head) - 1;
  const render::AttentionMap chosen = render::select(map, selection);
  // A single head is no mean of anything.
  const bool is_grid = std::any_of(chosen.panels.begin(), chosen.panels.end(),
                                   [](const render::MapPanel& panel) { return panel.head > 0; });
  return head == "mean" && is_grid ? render::mean_over_heads(chosen) : chosen;
}

}  // namespace attend::cli
