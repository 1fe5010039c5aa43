// How far apart results may lie that differ in nothing but the order of their sums: from the size
// of what is summed, which is the same on every processor and for every BLAS.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <vector>

#include "tests/support/compare.h"

namespace attend::testing {

/// u: half the distance from 1 to the next number of this dtype.
inline double unit_roundoff(at::ScalarType dtype) {
  const int digits = dtype == at::kDouble  ? 53
                     : dtype == at::kFloat ? 24
                     : dtype == at::kHalf  ? 11
                                           : 8;
  return std::ldexp(1.0, -digits);
}

/// gamma_n = n u / (1 - n u): a sum of n products, in any order, with or without fused operations,
/// is off by this times the sum of their absolute values at most (Higham 2002, 3.1).
inline double gamma(at::ScalarType dtype, int64_t n) {
  const double nu = static_cast<double>(n) * unit_roundoff(dtype);
  return nu / (1.0 - nu);
}

/// The size of what each element of `out` is summed from: sum over p of |d out / d p| |p| for all
/// numbers p of these leaves, of which `out` is made; for a product a b, twice the sum of |a| |b|.
/// Both in double. The greatest of all elements.
inline double size_summed(const at::Tensor& out, const std::vector<at::Tensor>& leaves) {
  const at::Tensor flat = out.reshape({-1});
  double greatest = 0.0;
  for (int64_t i = 0; i < flat.size(0); ++i) {
    const auto slopes = torch::autograd::grad({flat[i]}, leaves, {}, /*retain_graph=*/true, false,
                                              /*allow_unused=*/true);
    double size = 0.0;
    for (size_t n = 0; n < leaves.size(); ++n)
      if (slopes[n].defined()) size += slopes[n].mul(leaves[n].detach()).abs().sum().item<double>();
    greatest = std::max(greatest, size);
  }
  return greatest;
}

/// What a result in `dtype` may be off by, if `size` is size_summed() of the same in double and
/// `additions` is how many follow each other on the way from those numbers to the result: the
/// lengths of the sums that are made of each other. Two such results may be twice as far apart.
inline Tolerance rounding(at::ScalarType dtype, int64_t additions, double size) {
  return {0.0, gamma(dtype, additions) * size};
}

}  // namespace attend::testing
