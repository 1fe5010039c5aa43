// What an optimiser does to a block of a flat buffer.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// total = scale * (parts[0] + parts[1] + ...), added in that order, over n numbers from `begin` of
/// each. `total` may be one of the parts.
template <class T>
struct SumParts {
  const T* const* parts;
  int64_t count;  ///< of parts, at least 1
  T* total;
  int64_t begin, n;
  T scale;
};
/// Returns the sum of the squares of total's n numbers, in double and in one order.
double sum_parts(const SumParts<float>& p);
double sum_parts(const SumParts<double>& p);

/// Adam's update of n parameters, with g = gradient_scale * gradient:
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g g
///   p = p - step_size m / (sqrt(v) root_correction + epsilon)
template <class T>
struct AdamUpdate {
  const T* gradient;
  T* first;   ///< m
  T* second;  ///< v
  T* parameters;
  int64_t n;
  double gradient_scale;
  double beta1, beta2;
  double step_size;        ///< learning rate / (1 - beta1^t)
  double root_correction;  ///< 1 / sqrt(1 - beta2^t)
  double epsilon;
};
void adam_update(const AdamUpdate<float>& p);
void adam_update(const AdamUpdate<double>& p);

}  // namespace attend::kernels
