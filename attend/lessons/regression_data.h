// What lessons 3 and 4 fit: the chapter's pairs, y = 2 sin x + x^0.8 + noise on [0, 5).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "attend/attention/kinds.h"
#include "attend/core/config.h"
#include "attend/lessons/figures.h"
#include "attend/lessons/notebook.h"
#include "attend/models/kernel_regression.h"

namespace attend::lessons {

struct RegressionOptions {
  KernelKind kernel = KernelKind::kGaussian;
  double width = 1;
  double noise = 0.5;
  int64_t points = 50;
  int64_t seed = 1;
};

/// The flags that both lessons have.
core::ConfigTable regression_table(RegressionOptions& options, std::string name,
                                   std::string summary);

/// In double. Points are drawn uniformly and sorted; a seed gives the same ones at any noise.
struct RegressionData {
  at::Tensor keys;     ///< (N), x of the training pairs
  at::Tensor draws;    ///< (N), standard normal
  at::Tensor values;   ///< (N), y of the training pairs: the truth at x and noise times the draw
  at::Tensor queries;  ///< (50), 0.0, 0.1, ... 4.9
};
RegressionData regression_data(const RegressionOptions& options);

/// 2 sin x + x^0.8
at::Tensor true_function(const at::Tensor& x);

/// (name, kind) of every kernel, the Gaussian first.
const std::vector<std::pair<std::string, KernelKind>>& kernels();

/// Kernel regression with a width that is given.
KernelRegression fitted(const RegressionOptions& options, const RegressionData& data, double width);

/// The width of the lowest leave-one-out error: a scan of kScanned in steps of 2 %, since the
/// error may have several valleys, then in steps of 0.1 % around its lowest point.
inline constexpr std::pair<double, double> kScanned{0.05, 500};
double best_width(const RegressionOptions& options, const RegressionData& data);

/// Rows are the queries, columns the pairs.
HeatMapLabels regression_labels(const RegressionData& data);

/// Mean square errors: of the training points, each predicted with its own pair in place, and of
/// the queries against the true function.
double error_on_pairs(const KernelRegression& model, const RegressionData& data);
double error_against_truth(const KernelRegression& model, const RegressionData& data);

/// A row of a table: the name, the width, the leave-one-out error and those two.
std::vector<std::string> error_row(const std::string& name, const RegressionOptions& options,
                                   const RegressionData& data, double width);

/// Those and the leave-one-out error, from width 0.25 to 150; the widths in `found` among them.
render::Curves errors_by_width(const RegressionOptions& options, const RegressionData& data,
                               const std::vector<double>& found);

/// The panel of js/kernel_regression.js. `losses`: with the error of each training point, its own
/// pair left out and kept.
Panel regression_panel(Bilingual caption, const RegressionOptions& options, bool losses);

}  // namespace attend::lessons
