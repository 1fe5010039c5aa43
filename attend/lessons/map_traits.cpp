#include "attend/lessons/map_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/errors.h"

namespace attend::lessons {
namespace {

constexpr const char* kDecoderSelf = "decoder-self";

void check(const render::MapPanel& panel) {
  const size_t cells = panel.rows.size() * panel.columns.size();
  if (cells == 0 || panel.weights.size() != cells)
    throw InvalidArgument("[map_traits] expected a weight for each query and key, found " +
                          std::to_string(panel.weights.size()) + " for " +
                          std::to_string(panel.rows.size()) + " by " +
                          std::to_string(panel.columns.size()));
}

}  // namespace

void MapTraits::add(const render::MapPanel& panel) {
  check(panel);
  const size_t rows = panel.rows.size(), columns = panel.columns.size();
  const double slope =
      rows > 1 ? static_cast<double>(columns - 1) / static_cast<double>(rows - 1) : 0.0;
  for (size_t r = 0; r < rows; ++r) {
    const float* weights = panel.weights.data() + r * columns;
    sharp_ += static_cast<double>(*std::max_element(weights, weights + columns));
    mark_ += static_cast<double>(weights[panel.kind == kDecoderSelf ? 0 : columns - 1]);
    for (size_t c = 0; c < columns; ++c)
      if (std::abs(static_cast<double>(c) - slope * static_cast<double>(r)) <= 1.0)
        diagonal_ += static_cast<double>(weights[c]);
  }
  queries_ += static_cast<int64_t>(rows);
}

render::MapPanel with_equal_weights(render::MapPanel panel) {
  check(panel);
  const size_t columns = panel.columns.size();
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    const size_t seen = panel.kind == kDecoderSelf ? std::min(r + 1, columns) : columns;
    for (size_t c = 0; c < columns; ++c)
      panel.weights[r * columns + c] = c < seen ? 1.0F / static_cast<float>(seen) : 0.0F;
  }
  return panel;
}

Bilingual diagonal_finding(const MapTraits& maps, const MapTraits& equal) {
  const double gain = maps.diagonal() - equal.diagonal();
  const Bilingual what =
      gain > 0.05
          ? Bilingual{"the weight goes from left to right with the words", "权重随着词从左往右移动"}
      : gain < -0.05 ? Bilingual{"the weight keeps away from the diagonal", "权重避开了对角线"}
                     : Bilingual{
                           "that says nothing of order, since in short sentences many keys "
                           "are near the diagonal anyway",
                           "这说明不了语序，因为句子短时许多键本来就在对角线附近"};
  return {fmt::format("Within one word of the diagonal lies {:.2f} of the weight, where equal "
                      "weights would have {:.2f}: {}.",
                      maps.diagonal(), equal.diagonal(), what.en),
          fmt::format("离对角线一个词以内的权重是 {:.2f}，等权重时是 {:.2f}：{}。", maps.diagonal(),
                      equal.diagonal(), what.zh)};
}

std::vector<size_t> strongest_keys(const render::MapPanel& panel) {
  check(panel);
  std::vector<size_t> keys;
  const auto columns = static_cast<std::ptrdiff_t>(panel.columns.size());
  for (auto row = panel.weights.begin(); row != panel.weights.end(); row += columns)
    keys.push_back(static_cast<size_t>(std::max_element(row, row + columns) - row));
  return keys;
}

std::vector<std::string> steps_back(const render::MapPanel& panel) {
  std::vector<std::string> out;
  const auto keys = strongest_keys(panel);
  for (size_t r = 1; r < keys.size(); ++r)
    if (keys[r] < keys[r - 1]) out.push_back(panel.rows[r] + " ← " + panel.columns[keys[r]]);
  return out;
}

}  // namespace attend::lessons
