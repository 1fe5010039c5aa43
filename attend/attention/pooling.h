// Pooling by a fixed rule: the average, and Nadaraya-Watson kernel regression.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "attend/attention/kinds.h"
#include "attend/ops/attention.h"

namespace attend {

/// The mean of the values that each query may see: values (B, Tk, Dv) -> output (B, Tq, Dv),
/// weights (B, Tq, Tk).
ops::AttentionResult average_pooling(const at::Tensor& values, int64_t queries, const Mask& mask,
                                     const ops::AttentionOptions& options = {});

/// K as a function of u^2, which is cheaper than u: one of KernelKind, or a function of one's own.
class Kernel {
 public:
  /// Takes u^2 of any shape and gives K of that shape, elementwise, at least 0 and finite; for a
  /// gradient, of differentiable operations.
  using Function = std::function<at::Tensor(const at::Tensor& squared)>;

  Kernel(KernelKind kind) : kind_(kind) {}  // NOLINT(google-explicit-constructor): a name will do
  explicit Kernel(Function own) : own_(std::move(own)) {}

  at::Tensor operator()(const at::Tensor& squared) const;
  /// Its logarithm is known, so that weights are a softmax however far the keys are.
  bool is_gaussian() const { return !own_ && kind_ == KernelKind::kGaussian; }

 private:
  KernelKind kind_ = KernelKind::kGaussian;
  Function own_;
};

/// Kernel regression, Nadaraya 1964, Watson 1964: weights_ij = K(u_ij) / sum over the visible k of
/// K(u_ik), u_ij = |width (q_i - k_j)|, in any number D of dimensions.
///
/// queries (B, [H,] Tq, D), keys (B, [H,] Tk, D), values (B, [H,] Tk, Dv) -> output
/// (B, [H,] Tq, Dv), weights (B, [H,] Tq, Tk). `width` is a scalar or (D), one a dimension. As in
/// the chapter it is multiplied, so that a LARGER one is a NARROWER kernel: 1 / bandwidth.
/// A query with no key in reach gives zeros, like one that may attend to nothing. Differentiable in
/// all, width included (for the boxcar, a step, with gradient 0). No (B, Tq, Tk, D) tensor is held.
/// Throws InvalidArgument for other shapes, and for a bias or normaliser in the options: a kernel's
/// weights are its own.
ops::AttentionResult kernel_pooling(const at::Tensor& queries, const at::Tensor& keys,
                                    const at::Tensor& values, const at::Tensor& width,
                                    const Kernel& kernel, const Mask& mask,
                                    const ops::AttentionOptions& options = {});

}  // namespace attend
