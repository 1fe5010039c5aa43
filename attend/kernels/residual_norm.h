// Residual sum and layer normalisation of rows in one pass (Ba et al. 2016, eq. 4; Vaswani et al.
// 2017, 3.1), forward and backward:
//
//   z = x + m s    h = (z - mean(z)) / sigma    sigma = sqrt(variance(z) + epsilon)
//   y = h gain + bias
//
// The variance divides by D; m is dropout's multiplier (kernels/dropout.h). Every array of rows is
// (rows, width), contiguous; D is the width.
#pragma once

#include <cstdint>

namespace attend::kernels {

template <class T>
struct ResidualNormRows {
  const T* x;
  const T* s;            ///< or null: z = x
  const uint32_t* keys;  ///< (rows), dropout of s; or null: m = 1
  uint32_t threshold;    ///< core::dropout_threshold(p)
  T kept;                ///< 1 / (1 - p)
  const T* gain;         ///< (D)
  const T* bias;         ///< (D)
  T epsilon;
  T* y;              ///< may be x or s
  T* normalised;     ///< h for backward, or null; apart from x and s
  T* inverse_sigma;  ///< (rows) for backward, or null
  int64_t rows, width;
};
void residual_norm(const ResidualNormRows<float>& p);
void residual_norm(const ResidualNormRows<double>& p);

template <class T>
struct ResidualNormGradients {
  const T* normalised;
  const T* inverse_sigma;
  const T* gain;
  const uint32_t* keys;  ///< and so on as forward
  uint32_t threshold;
  T kept;
  const T* d_y;
  const T* d_sum;  ///< what arrives at z by itself, or null; may be d_x
  T* d_x;          ///< that of z, which is that of x; may be d_y
  T* d_s;          ///< m times that, or null; apart from the others
  T* d_gain;       ///< (D), added to, row after row; null: not wanted, d_bias neither
  T* d_bias;       ///< (D)
  int64_t rows, width;
};
void residual_norm_backward(const ResidualNormGradients<float>& p);
void residual_norm_backward(const ResidualNormGradients<double>& p);

}  // namespace attend::kernels
