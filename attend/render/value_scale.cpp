#include "attend/render/value_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "attend/render/colour.h"
#include "attend/render/ticks.h"

namespace attend::render {
namespace {

// Softmax rows may sum to a hair above 1.
constexpr double kUnitSlack = 1e-4;

std::string printf_number(const char* form, double value) {
  char text[64];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

}  // namespace

ValueScale ValueScale::of(const AttentionMap& map, Scaling scaling) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (const MapPanel& panel : map.panels) {
    for (const float w : panel.weights) {
      if (!std::isfinite(w)) continue;
      least = std::min(least, static_cast<double>(w));
      largest = std::max(largest, static_cast<double>(w));
    }
  }
  if (scaling == Scaling::kDiverging) {
    const double size = largest < least ? 0 : std::max(largest, -least);
    return {size > 0 ? -size : -1, size > 0 ? size : 1, Palette::kDiverging};
  }
  if (largest < least) return {0, 1};  // nothing finite
  const bool is_unit = least >= -kUnitSlack && largest <= 1 + kUnitSlack;
  if (scaling == Scaling::kUnit && is_unit) return {0, 1};
  ValueScale scale{least < -kUnitSlack ? least : 0, largest};
  if (!(scale.high > scale.low)) scale.high = scale.low + 1;
  return scale;
}

double ValueScale::fraction(double value) const {
  if (std::isnan(value)) return value;
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

int ValueScale::level(double value) const {
  if (!std::isfinite(value)) return -1;
  return static_cast<int>(std::lround(fraction(value) * (kPaletteSize - 1)));
}

std::vector<double> ValueScale::ticks() const {
  std::vector<double> places{low};
  const double margin = 0.15 * (high - low);  // of 200 pixels: as wide as "-2.449"
  for (const double tick : nice_ticks(low, high, 5))
    if (tick > low + margin && tick < high - margin) places.push_back(tick);
  places.push_back(high);
  return places;
}

std::optional<float> round_to_float(double value) {
  // The largest float plus half of its last place: shortest digits may stand for a number up to
  // there.
  constexpr double kBound = 0x1.ffffffp127;
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (!(std::abs(value) < kBound)) return std::nullopt;
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

std::string format_weight(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  const double size = std::abs(value);
  if (value == 0) return "0.000";
  if (size < 0.001 || size >= 1e6) return printf_number("%.1e", value);
  return printf_number(size >= 1000 ? "%.1f" : "%.3f", value);
}

std::string format_weight_short(double value) {
  if (!std::isfinite(value)) return "  ?";
  std::string text = printf_number("%.2f", value);
  if (text == "0.00" || text == "-0.00") return value == 0 ? "  0" : ".00";
  if (text.size() > 1 && text.starts_with("0.")) return text.substr(1);
  if (text.starts_with("-0.")) text = printf_number("%.1f", value).erase(1, 1);
  if (text.size() > 3) text = printf_number("%.1f", value);
  if (text.size() > 3) text = printf_number("%3.0f", value);
  return text.size() == 3 ? text : "---";
}

std::string format_weight_signed(double value) {
  if (!(value < 0) || std::isinf(value)) return " " + format_weight_short(value);
  std::string text = format_weight_short(-value);
  const size_t digit = text.find_first_not_of(' ');
  return std::string(digit, ' ') + "-" + text.substr(digit);
}

}  // namespace attend::render
