// Kernel regression as an estimator: Nadaraya 1964, Watson 1964; attention with a kernel for score.
//
//   KernelRegression model({.width_by = KernelRegression::WidthBy::kCrossValidation});
//   model.fit(x, y);
//   at::Tensor y_there = model.predict(x_there);
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "attend/attention/pooling.h"

namespace attend {

/// y(x) = sum_i K(|w (x - x_i)|) y_i / sum_i K(|w (x - x_i)|). The width w is multiplied, as in the
/// chapter: a LARGER one is a NARROWER kernel, 1 / bandwidth. Where no point is in reach, which
/// only kernels other than the Gaussian know, the prediction is 0.
class KernelRegression {
 public:
  /// Where the width comes from. The two that look at the data judge a width by how well each
  /// training point is predicted from the others, its own pair left out.
  enum class WidthBy {
    kFixed,            ///< options.width
    kLearned,          ///< gradient descent on the squared error from options.width on
    kCrossValidation,  ///< the best of options.candidates
  };

  struct Options {
    Kernel kernel = KernelKind::kGaussian;
    WidthBy width_by = WidthBy::kFixed;
    double width = 1.0;          ///< above 0
    bool by_dimension = false;   ///< kLearned: a width for each dimension of x
    int64_t steps = 5;           ///< kLearned: of gradient descent over all points
    double learning_rate = 0.5;  ///< kLearned: times the gradient of the summed squared error
    /// kCrossValidation: widths above 0. Empty: 41 from 0.1 / s to 1000 / s, s the standard
    /// deviation of x, then twice 20 between the neighbours of the best, down to 0.2 % of it. A
    /// lower point elsewhere that lies between two of the 41 is not seen: give candidates that are
    /// closer where the loss has several valleys.
    std::vector<double> candidates = {};
  };

  /// Throws InvalidArgument for a width, number of steps or rate that makes no sense.
  explicit KernelRegression(Options options);
  KernelRegression() : KernelRegression(Options{}) {}

  /// x (N, D), or (N) in one dimension, and y (N, Dy) or (N): finite, of one floating dtype, on one
  /// device. Keeps them, and finds the width. N >= 1, and >= 2 where the width hangs on the data.
  /// Throws InvalidArgument for other input, and when a learned width runs off to infinity or no
  /// candidate has a finite error; an earlier fit is then as it was.
  void fit(const at::Tensor& x, const at::Tensor& y);

  /// x (M, D), or (M) in one dimension -> (M, Dy), or (M) when y was (N). Differentiable in x.
  at::Tensor predict(const at::Tensor& x) const;

  /// What each training point counts: (M, N), rows sum to 1, or 0 where none is in reach.
  at::Tensor weights(const at::Tensor& x) const;

  /// () or (D), after fit().
  const at::Tensor& width() const;

  /// Mean over the training points of the squared error |y_i - prediction without pair i|^2, at
  /// this width or at the model's. Differentiable in the width.
  at::Tensor loo_loss(const at::Tensor& width) const;
  double loo_loss() const;

  /// kLearned: the summed squared error before each step; the chapter's curve.
  const std::vector<double>& losses() const { return losses_; }

 private:
  struct Block {
    int64_t begin, end;
  };
  std::vector<Block> blocks(int64_t queries) const;
  ops::AttentionResult pool(const at::Tensor& x, const Mask& mask, const at::Tensor& width,
                            bool weights) const;
  at::Tensor error_without_own(const Block& block, const at::Tensor& width) const;
  at::Tensor points(const at::Tensor& x) const;
  void learn();
  void cross_validate();

  Options options_;
  at::Tensor x_;  // (N, D)
  at::Tensor y_;  // (N, Dy)
  bool flat_y_ = false;
  at::Tensor width_;
  std::vector<double> losses_;
};

}  // namespace attend
