#include "attend/lessons/figures.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "attend/core/random.h"
#include "attend/ops/check.h"

namespace attend::lessons {

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().to(at::kCPU).to(at::kDouble).contiguous();
  const auto* data = plain.const_data_ptr<double>();
  return {data, data + plain.numel()};
}

std::vector<std::string> labels(const std::string& name, int64_t count, int64_t first) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(name + std::to_string(first + i));
  return out;
}

std::vector<std::string> labels(const at::Tensor& values, int decimals) {
  std::vector<std::string> out;
  for (const double value : numbers(values)) out.push_back(fmt::format("{:.{}f}", value, decimals));
  return out;
}

render::AttentionMap heat_map(const at::Tensor& matrix, const HeatMapLabels& names) {
  if (matrix.dim() != 2 && matrix.dim() != 3)
    ops::refuse("heat_map", "a matrix (R, C) or several (P, R, C)", {matrix});
  const at::Tensor panels = matrix.dim() == 2 ? matrix.unsqueeze(0) : matrix;  // (P, R, C)
  const int64_t rows = panels.size(1), columns = panels.size(2);
  const auto fits = [](const std::vector<std::string>& list, int64_t size) {
    return list.empty() || static_cast<int64_t>(list.size()) == size;
  };
  if (!fits(names.rows, rows) || !fits(names.columns, columns) ||
      !fits(names.panels, panels.size(0)))
    ops::refuse("heat_map",
                fmt::format("{} row labels, {} column labels and {} panel titles for",
                            names.rows.size(), names.columns.size(), names.panels.size()),
                {matrix});
  render::AttentionMap map;
  map.row_axis = names.row_axis;
  map.column_axis = names.column_axis;
  for (int64_t p = 0; p < panels.size(0); ++p) {
    render::MapPanel panel;
    if (!names.panels.empty())
      panel.title = names.panels[static_cast<size_t>(p)];
    else if (panels.size(0) > 1)
      panel.title = "head " + std::to_string(p + 1);
    panel.rows = names.rows.empty() ? labels("", rows) : names.rows;
    panel.columns = names.columns.empty() ? labels("", columns) : names.columns;
    for (const double value : numbers(panels.select(0, p)))
      panel.weights.push_back(static_cast<float>(value));
    map.panels.push_back(std::move(panel));
  }
  return map;
}

render::Series series(const std::string& name, const at::Tensor& x, const at::Tensor& y,
                      bool points) {
  return {name, numbers(x), numbers(y), points};
}

render::Series series(const std::string& name, const std::vector<double>& y) {
  render::Series out{name, {}, y};
  for (size_t i = 0; i < y.size(); ++i) out.x.push_back(static_cast<double>(i));
  return out;
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string dot_text(const at::Tensor& a, const at::Tensor& b) {
  const auto left = numbers(a), right = numbers(b);
  std::string text;
  double sum = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    text += (i > 0 ? " + " : "") + short_number(left[i]) + "·" + short_number(right[i]);
    sum += left[i] * right[i];
  }
  return text + " = " + short_number(sum);
}

at::Tensor counted_normal(int64_t count, uint64_t key) {
  at::Tensor out = at::empty({count}, at::kDouble);
  auto* data = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < count; ++i) {
    const auto counter = 2 * static_cast<uint64_t>(i);
    const double radius = std::sqrt(-2 * std::log(1 - core::uniform01(key, counter)));
    data[i] = radius * std::cos(2 * std::numbers::pi * core::uniform01(key, counter + 1));
  }
  return out;
}

at::Tensor counted_normal(at::IntArrayRef shape, int64_t seed, uint64_t stream) {
  const uint64_t key = core::combine(static_cast<uint64_t>(seed), stream);
  return counted_normal(c10::multiply_integers(shape), key).view(shape);
}

at::Tensor counted_uniform(int64_t count, uint64_t key) {
  at::Tensor out = at::empty({count}, at::kDouble);
  auto* data = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < count; ++i) data[i] = core::uniform01(key, static_cast<uint64_t>(i));
  return out;
}

std::string matrix_json(const at::Tensor& matrix, int decimals) {
  std::string json = "[";
  for (int64_t r = 0; r < matrix.size(0); ++r) {
    json += r > 0 ? ",[" : "[";
    const auto row = numbers(matrix.select(0, r));
    for (size_t c = 0; c < row.size(); ++c)
      json += (c > 0 ? "," : "") + fmt::format("{:.{}f}", row[c], decimals);
    json += "]";
  }
  return json + "]";
}

}  // namespace attend::lessons
