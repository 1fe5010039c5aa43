#include "attend/render/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace attend::render {
namespace {

double nice_step(double range, int count) {
  const double rough = range / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= rough * 0.999) return factor * power;
  return 10 * power;
}

std::string shortest(double value) {
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e7);
  char text[48];
  for (int digits = plain ? 0 : 1; digits <= 9; ++digits) {
    std::snprintf(text, sizeof text, plain ? "%.*f" : "%.*g", digits, value);
    if (std::abs(std::strtod(text, nullptr) - value) <= 1e-9 * size) break;
  }
  return text;
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int count) {
  std::vector<double> ticks;
  if (!std::isfinite(low) || !std::isfinite(high) || !(high > low)) return ticks;
  const double step = nice_step(high - low, count);
  const double first = std::ceil(low / step - 1e-9);
  const double steps = std::floor(high / step + 1e-9) - first;
  // Where the doubles are sparser than the steps, there are no round numbers between.
  if (!(step > 0) || !(steps >= 0 && steps < 1000) || low + step == low) return ticks;
  for (int i = 0; i <= static_cast<int>(steps); ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  if (!(low > 0) || !(high > low) || !std::isfinite(high)) return ticks;
  const double decades = std::log10(high / low);
  if (decades < 1) return nice_ticks(low, high, 5);
  const auto first = static_cast<int>(std::floor(std::log10(low)));
  const auto last = static_cast<int>(std::ceil(std::log10(high)));
  const int every = std::max(1, static_cast<int>(decades / 8));
  for (int e = first; e <= last; ++e) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1 && decades > 3) continue;
      if (factor == 1 && (e - first) % every != 0) continue;
      const double tick = factor * std::pow(10.0, e);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks) {
  std::vector<std::string> labels;
  double largest = 0;
  for (const double tick : ticks) largest = std::max(largest, std::abs(tick));
  bool plain = largest < 1e7;
  int decimals = 0;
  for (const double tick : ticks) {
    const std::string text = shortest(tick);
    if (text.find('e') != std::string::npos && tick != 0 && std::abs(tick) < 1e-4 &&
        std::abs(tick) > 1e-9 * largest)
      plain = false;
    const size_t dot = text.find('.');
    if (dot != std::string::npos && text.find('e') == std::string::npos)
      decimals = std::max(decimals, static_cast<int>(text.size() - dot - 1));
  }
  // Evenly spaced ticks share their decimals ("0.25", "0.50"); powers of ten do not.
  const bool even = ticks.size() < 3 || std::abs((ticks[2] - ticks[1]) - (ticks[1] - ticks[0])) <
                                            1e-6 * std::abs(ticks[1] - ticks[0]);
  for (const double tick : ticks) {
    char text[64];
    if (plain && even && decimals <= 8) {
      std::snprintf(text, sizeof text, "%.*f", decimals, tick == 0 ? 0.0 : tick);
      labels.emplace_back(text);
    } else {
      labels.push_back(shortest(tick));
    }
  }
  return labels;
}

}  // namespace attend::render
