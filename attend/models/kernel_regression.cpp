#include "attend/models/kernel_regression.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "attend/core/errors.h"
#include "attend/ops/check.h"

namespace attend {
namespace {

constexpr auto kOp = "kernel_regression";
constexpr int64_t kPairsAtOnce = 1 << 22;

[[noreturn]] void refuse_number(const std::string& expected, double found) {
  throw InvalidArgument(std::string("[") + kOp + "] expected " + expected + ", found " +
                        std::to_string(found));
}

void check_width(double width) {
  if (!(width > 0.0 && std::isfinite(width))) refuse_number("a width above 0", width);
}

bool all_finite(const at::Tensor& x) { return at::isfinite(x).all().item<bool>(); }

constexpr double kUsualStep = 0.1;  // decimal logarithm of the ratio of neighbours
constexpr int kFiner = 10;          // candidates on either side of the best, within that ratio
constexpr int kFinerRounds = 2;

// From a tenth of the data's spread to where only next neighbours count.
std::vector<double> usual_widths(const at::Tensor& x) {
  const at::Tensor centred = x.to(at::kDouble) - x.to(at::kDouble).mean(0, /*keepdim=*/true);
  const double spread = std::sqrt(centred.square().mean().item<double>());
  std::vector<double> widths;
  for (int i = 0; i <= 40; ++i)
    widths.push_back(std::pow(10.0, kUsualStep * i - 1.0) / (spread > 0.0 ? spread : 1.0));
  return widths;
}

// The widths around `centre` whose logarithms are up to `reach` from its own.
std::vector<double> widths_around(double centre, double reach) {
  std::vector<double> widths;
  for (int i = -kFiner; i <= kFiner; ++i)
    if (i != 0) widths.push_back(centre * std::pow(10.0, reach * i / kFiner));
  return widths;
}

}  // namespace

KernelRegression::KernelRegression(Options options) : options_(std::move(options)) {
  check_width(options_.width);
  for (const double width : options_.candidates) check_width(width);
  if (options_.steps < 0)
    refuse_number("a number of steps of at least 0", static_cast<double>(options_.steps));
  if (!(options_.learning_rate > 0.0 && std::isfinite(options_.learning_rate)))
    refuse_number("a learning rate above 0", options_.learning_rate);
}

void KernelRegression::fit(const at::Tensor& x, const at::Tensor& y) {
  ops::check_floating(kOp, {x, y});
  const int64_t least = options_.width_by == WidthBy::kFixed ? 1 : 2;
  if (x.dim() < 1 || x.dim() > 2 || y.dim() < 1 || y.dim() > 2 || x.size(0) != y.size(0) ||
      x.size(0) < least || x.numel() == 0)
    ops::refuse(kOp, "x (N, D) or (N) and y (N, Dy) or (N), N at least " + std::to_string(least),
                {x, y});
  if (!all_finite(x) || !all_finite(y))
    throw InvalidArgument(std::string("[") + kOp + "] expected numbers that are finite in x and y");
  c10::NoGradGuard no_grad;
  KernelRegression next(options_);  // what throws leaves the earlier fit as it was
  next.x_ = x.detach().view({x.size(0), x.dim() == 1 ? 1 : x.size(1)}).clone();
  next.y_ = y.detach().view({y.size(0), y.dim() == 1 ? 1 : y.size(1)}).clone();
  next.flat_y_ = y.dim() == 1;
  const bool many = options_.by_dimension && options_.width_by == WidthBy::kLearned;
  next.width_ = at::full(many ? std::vector<int64_t>{next.x_.size(1)} : std::vector<int64_t>{},
                         options_.width, next.x_.options());
  if (options_.width_by == WidthBy::kLearned) next.learn();
  if (options_.width_by == WidthBy::kCrossValidation) next.cross_validate();
  *this = std::move(next);
}

std::vector<KernelRegression::Block> KernelRegression::blocks(int64_t queries) const {
  const int64_t rows = std::max<int64_t>(1, kPairsAtOnce / x_.size(0));
  std::vector<Block> all;
  for (int64_t i = 0; i < queries; i += rows) all.push_back({i, std::min(queries, i + rows)});
  return all;
}

ops::AttentionResult KernelRegression::pool(const at::Tensor& x, const Mask& mask,
                                            const at::Tensor& width, bool weights) const {
  const ops::AttentionResult one =
      kernel_pooling(x.unsqueeze(0), x_.unsqueeze(0), y_.unsqueeze(0), width, options_.kernel, mask,
                     {.return_weights = weights});
  return {one.output.squeeze(0), weights ? one.weights.squeeze(0) : at::Tensor()};
}

// The summed squared error of these training points, each predicted from the others.
at::Tensor KernelRegression::error_without_own(const Block& block, const at::Tensor& width) const {
  const at::Tensor numbers =
      at::arange(x_.size(0), at::TensorOptions(x_.device()).dtype(at::kLong));
  const at::Tensor others =
      numbers.unsqueeze(0).ne(numbers.slice(0, block.begin, block.end).unsqueeze(1));  // (M, N)
  const at::Tensor found =
      pool(x_.slice(0, block.begin, block.end), Mask::dense(others), width, false).output;
  return (found - y_.slice(0, block.begin, block.end)).square().sum();
}

// Gradient descent, block by block, so that no graph holds all pairs.
void KernelRegression::learn() {
  for (int64_t step = 0; step < options_.steps; ++step) {
    const at::Tensor leaf = width_.clone().set_requires_grad(true);
    at::Tensor gradient = at::zeros_like(width_);
    double total = 0.0;
    for (const Block& block : blocks(x_.size(0))) {
      at::AutoGradMode with_gradient(true);
      const at::Tensor loss = error_without_own(block, leaf);
      total += loss.item<double>();
      if (loss.requires_grad()) gradient += torch::autograd::grad({loss}, {leaf})[0];
    }
    losses_.push_back(total);
    width_ -= options_.learning_rate * gradient;
    if (!std::isfinite(total) || !all_finite(width_))
      throw InvalidArgument(std::string("[") + kOp + "] the width left all bounds at step " +
                            std::to_string(step + 1) + ": take a smaller learning rate than " +
                            std::to_string(options_.learning_rate));
  }
  width_.abs_();  // its sign means nothing
}

// Without candidates the best of the usual widths is found first, then the best between its
// neighbours: the loss is often flat enough there to hide a quarter of the width.
void KernelRegression::cross_validate() {
  double best = std::numeric_limits<double>::infinity();
  const auto try_all = [&](const std::vector<double>& widths) {
    for (const double candidate : widths) {
      const at::Tensor width = at::full({}, candidate, x_.options());
      const double loss = loo_loss(width).item<double>();
      if (!(loss < best)) continue;
      best = loss;
      width_ = width;
    }
  };
  const bool usual = options_.candidates.empty();
  try_all(usual ? usual_widths(x_) : options_.candidates);
  if (!std::isfinite(best))
    throw InvalidArgument(std::string("[") + kOp +
                          "] no width gives a finite error: x or y is too large to be squared");
  double reach = kUsualStep;
  for (int round = 0; usual && round < kFinerRounds; ++round, reach /= kFiner)
    try_all(widths_around(width_.item<double>(), reach));
}

at::Tensor KernelRegression::loo_loss(const at::Tensor& width) const {
  if (!x_.defined()) throw InvalidArgument(std::string("[") + kOp + "] expected fit() first");
  at::Tensor sum = at::zeros({}, x_.options());
  for (const Block& block : blocks(x_.size(0))) sum = sum + error_without_own(block, width);
  return sum / x_.size(0);
}

double KernelRegression::loo_loss() const { return loo_loss(width()).item<double>(); }

const at::Tensor& KernelRegression::width() const {
  if (!width_.defined()) throw InvalidArgument(std::string("[") + kOp + "] expected fit() first");
  return width_;
}

at::Tensor KernelRegression::points(const at::Tensor& x) const {
  const int64_t size = width().defined() ? x_.size(1) : 0;
  if (!x.defined() || x.scalar_type() != x_.scalar_type() || x.device() != x_.device() ||
      !((x.dim() == 1 && size == 1) || (x.dim() == 2 && x.size(1) == size)))
    ops::refuse(kOp,
                (size == 1 ? "x (M) or (M, 1)" : "x (M, " + std::to_string(size) + ")") +
                    std::string(" of the dtype and on the device of the training points"),
                {x});
  return x.dim() == 1 ? x.unsqueeze(1) : x;
}

at::Tensor KernelRegression::predict(const at::Tensor& x) const {
  const at::Tensor wanted = points(x);
  std::vector<at::Tensor> parts{y_.slice(0, 0, 0)};
  for (const Block& block : blocks(wanted.size(0)))
    parts.push_back(
        pool(wanted.slice(0, block.begin, block.end), Mask::none(), width_, false).output);
  const at::Tensor all = at::cat(parts);  // (M, Dy)
  return flat_y_ ? all.squeeze(1) : all;
}

at::Tensor KernelRegression::weights(const at::Tensor& x) const {
  return pool(points(x), Mask::none(), width_, true).weights;  // (M, N)
}

}  // namespace attend
