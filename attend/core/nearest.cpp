#include "attend/core/nearest.h"

#include <algorithm>

namespace attend::core {
namespace {

// Beyond this nobody misspells a name; it also bounds the work on hostile input.
constexpr size_t kLongestName = 200;

std::string only_with_prefix(std::string_view prefix, const std::vector<std::string>& candidates) {
  if (prefix.size() < 2) return "";
  std::string found;
  for (const auto& candidate : candidates) {
    if (std::string_view(candidate).substr(0, prefix.size()) != prefix) continue;
    if (!found.empty()) return "";
    found = candidate;
  }
  return found;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kLongestName) return "";
  std::string best;
  int best_distance = 0;
  for (const auto& candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const int near_enough = static_cast<int>(std::max(name.size(), candidate.size()) + 1) / 3;
    const int distance = edit_distance(name, candidate);
    if (distance <= near_enough && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? only_with_prefix(name, candidates) : best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace attend::core
