#include "attend/lessons/step_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/shape.h"

namespace attend::lessons {
namespace {

bool all_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) {
    return std::isfinite(v) && v == std::round(v) && std::abs(v) < 1e6;
  });
}

std::string text_of(double value, bool whole) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (whole) return fmt::format("{:.0f}", value);
  const double size = std::abs(value);
  if (size != 0 && (size < 5e-4 || size >= 1e4)) return fmt::format("{:.1e}", value);
  return fmt::format("{:.3f}", value);
}

}  // namespace

std::string shape_text(const Step& step) {
  if (step.shape.empty()) return "a number";
  return core::shape_text(std::vector<size_t>(step.shape.begin(), step.shape.end()));
}

std::vector<std::string> number_rows(const Step& step) {
  if (step.values.empty()) return {};
  const bool whole = all_whole(step.values);
  std::vector<std::string> cells;
  size_t width = 0;
  for (const double value : step.values) {
    cells.push_back(text_of(value, whole));
    width = std::max(width, cells.back().size());
  }
  const size_t row_size = step.shape.empty() ? 1 : static_cast<size_t>(step.shape.back());
  const size_t matrix = step.shape.size() < 2
                            ? row_size
                            : row_size * static_cast<size_t>(step.shape[step.shape.size() - 2]);
  std::vector<std::string> rows;
  for (size_t at = 0; at < cells.size(); at += row_size) {
    if (at > 0 && at % matrix == 0) rows.emplace_back();
    std::string row;
    for (size_t c = 0; c < row_size; ++c)
      row += (c > 0 ? "  " : "") + fmt::format("{:>{}}", cells[at + c], width);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace attend::lessons
