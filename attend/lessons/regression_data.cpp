#include "attend/lessons/regression_data.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sort.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace attend::lessons {

const std::vector<std::pair<std::string, KernelKind>>& kernels() {
  static const std::vector<std::pair<std::string, KernelKind>> all = {
      {"gaussian", KernelKind::kGaussian},
      {"boxcar", KernelKind::kBoxcar},
      {"epanechnikov", KernelKind::kEpanechnikov},
      {"triangular", KernelKind::kTriangular},
      {"cosine", KernelKind::kCosine}};
  return all;
}

core::ConfigTable regression_table(RegressionOptions& o, std::string name, std::string summary) {
  core::ConfigTable table(std::move(name), std::move(summary));
  table.add_choice<KernelKind>("kernel", o.kernel, "How weight falls with distance.", kernels())
      .add("width", o.width, "Multiplies distances: larger is narrower.", 0.05, 100)
      .add("noise", o.noise, "Standard deviation of the noise on y.", 0, 10)
      .add("points", o.points, "Training pairs on [0, 5).", 2, 500)
      .add("seed", o.seed, "Of the points and the noise.", 0, 1000000);
  return table;
}

at::Tensor true_function(const at::Tensor& x) { return at::sin(x) * 2 + at::pow(x, 0.8); }

RegressionData regression_data(const RegressionOptions& o) {
  const auto key = static_cast<uint64_t>(o.seed);
  RegressionData data;
  data.keys = std::get<0>(at::sort(counted_uniform(o.points, 2 * key) * 5));  // (N)
  data.draws = counted_normal(o.points, 2 * key + 1);
  data.values = true_function(data.keys) + data.draws * o.noise;
  data.queries = at::arange(50, at::kDouble) / 10;
  return data;
}

KernelRegression fitted(const RegressionOptions& o, const RegressionData& data, double width) {
  KernelRegression model({.kernel = o.kernel, .width = width});
  model.fit(data.keys, data.values);
  return model;
}

double best_width(const RegressionOptions& o, const RegressionData& data) {
  const auto best_of = [&](double from, double to, int steps) {
    std::vector<double> widths;
    for (int i = 0; i <= steps; ++i)
      widths.push_back(from * std::pow(to / from, static_cast<double>(i) / steps));
    KernelRegression model({.kernel = o.kernel,
                            .width_by = KernelRegression::WidthBy::kCrossValidation,
                            .candidates = widths});
    model.fit(data.keys, data.values);
    return model.width().item<double>();
  };
  const double about = best_of(kScanned.first, kScanned.second, 460);  // 2 % apart
  return best_of(about / 1.02, about * 1.02, 40);
}

HeatMapLabels regression_labels(const RegressionData& data) {
  return {.rows = labels(data.queries, 1),
          .columns = labels(data.keys, 2),
          .row_axis = "x to predict at",
          .column_axis = "x of the training pair"};
}

double error_on_pairs(const KernelRegression& model, const RegressionData& data) {
  return (model.predict(data.keys) - data.values).square().mean().item<double>();
}

double error_against_truth(const KernelRegression& model, const RegressionData& data) {
  const at::Tensor error = model.predict(data.queries) - true_function(data.queries);
  return error.square().mean().item<double>();
}

std::vector<std::string> error_row(const std::string& name, const RegressionOptions& o,
                                   const RegressionData& data, double width) {
  const KernelRegression model = fitted(o, data, width);
  return {name, short_number(width), short_number(model.loo_loss()),
          short_number(error_on_pairs(model, data)),
          short_number(error_against_truth(model, data))};
}

render::Curves errors_by_width(const RegressionOptions& o, const RegressionData& data,
                               const std::vector<double>& found) {
  render::Series left_out{"own pair left out 去掉自己", {}, {}};
  render::Series kept{"own pair kept 保留自己", {}, {}};
  render::Series truth{"against the truth 与真实函数之差", {}, {}};
  std::vector<double> widths;
  for (double width = 0.25; width < 150; width *= 1.25) widths.push_back(width);
  for (const double width : found)
    if (width > widths.front() && width < 150) widths.push_back(width);
  std::sort(widths.begin(), widths.end());
  for (const double width : widths) {
    const KernelRegression model = fitted(o, data, width);
    for (render::Series* s : {&left_out, &kept, &truth}) s->x.push_back(width);
    left_out.y.push_back(model.loo_loss());
    kept.y.push_back(error_on_pairs(model, data));
    truth.y.push_back(error_against_truth(model, data));
  }
  render::Curves curves{"", "width (larger is narrower)", "mean square error"};
  curves.log_x = true;
  curves.series = {left_out, kept, truth};
  return curves;
}

Panel regression_panel(Bilingual caption, const RegressionOptions& o, bool losses) {
  const RegressionData data = regression_data(o);
  Panel panel{std::move(caption), "kernel_regression"};
  double chosen = 0;
  std::vector<std::string> names;
  for (const auto& [name, kind] : kernels()) {
    if (kind == o.kernel) chosen = static_cast<double>(names.size());
    names.push_back(name);
  }
  panel.controls = {{"kernel", {"kernel", "核函数"}, 0, 0, 1, chosen, names},
                    {"width", {"width", "宽度参数"}, 0.25, 20, 0.25, o.width},
                    {"noise", {"noise", "噪声"}, 0, 2, 0.1, o.noise}};
  panel.data = nlohmann::json{
      {"keys", numbers(data.keys)},
      {"truth", numbers(true_function(data.keys))},
      {"draws", numbers(data.draws)},
      {"queries", numbers(data.queries)},
      {"losses",
       losses}}.dump();
  panel.library = [data, losses](const Inputs& in) {
    RegressionOptions moved;
    moved.kernel = kernels()[static_cast<size_t>(in.at("kernel"))].second;
    RegressionData noisy = data;
    noisy.values = true_function(data.keys) + data.draws * in.at("noise");
    const KernelRegression model = fitted(moved, noisy, in.at("width"));
    std::vector<double> out = numbers(model.predict(data.queries));
    if (!losses) return out;
    out.push_back(model.loo_loss());
    out.push_back(error_on_pairs(model, noisy));
    return out;
  };
  return panel;
}

}  // namespace attend::lessons
