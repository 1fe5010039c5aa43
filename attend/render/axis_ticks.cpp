#include "attend/render/axis_ticks.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "attend/render/ticks.h"

namespace attend::render {
namespace {

/// The labels as numbers; nothing unless each is one and they never fall or never rise.
std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& labels) {
  if (labels.size() < 2) return std::nullopt;
  std::vector<double> numbers;
  for (const std::string& label : labels) {
    double number = 0;
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
    if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
    numbers.push_back(number);
  }
  const bool rises = std::is_sorted(numbers.begin(), numbers.end());
  const bool falls = std::is_sorted(numbers.rbegin(), numbers.rend());
  if (rises == falls) return std::nullopt;  // out of order, or all the same
  return numbers;
}

/// Where a number lies among the cells, between the middles of the first and the last.
double place_of(double number, const std::vector<double>& numbers) {
  for (size_t i = 1; i < numbers.size(); ++i) {
    const double from = numbers[i - 1], to = numbers[i];
    if (from == to) continue;
    const double t = (number - from) / (to - from);
    if (t >= 0 && t <= 1) return static_cast<double>(i) - 0.5 + t;
  }
  return 0.5;
}

}  // namespace

bool is_numeric(const std::vector<std::string>& labels) { return numbers_of(labels).has_value(); }

std::vector<AxisTick> axis_ticks(const std::vector<std::string>& labels, int step, int most) {
  std::vector<AxisTick> ticks;
  const auto numbers = step > 1 ? numbers_of(labels) : std::nullopt;
  if (numbers) {
    const auto [low, high] = std::minmax(numbers->front(), numbers->back());
    const std::vector<double> round = nice_ticks(low, high, std::max(most, 1));
    const std::vector<std::string> texts = tick_labels(round);
    for (size_t i = 0; i < round.size(); ++i)
      ticks.push_back({place_of(round[i], *numbers), texts[i]});
    std::sort(ticks.begin(), ticks.end(),
              [](const AxisTick& a, const AxisTick& b) { return a.place < b.place; });
    return ticks;
  }
  for (size_t i = 0; i < labels.size(); i += static_cast<size_t>(std::max(step, 1)))
    ticks.push_back({static_cast<double>(i) + 0.5, labels[i]});
  return ticks;
}

}  // namespace attend::render
