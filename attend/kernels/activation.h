// The element-wise parts of a feed-forward network, and sums over rows. Rows have a stride; sums
// over rows go in the order of the rows.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// y = m relu(x + bias), with m dropout's multiplier (kernels/dropout.h).
template <class T>
struct ReluRows {
  const T* x;            ///< (rows, columns)
  T* y;                  ///< (rows, columns); may be x
  const T* bias;         ///< (columns), or null
  const uint32_t* keys;  ///< (rows), or null: m = 1
  uint32_t threshold;    ///< core::dropout_threshold(p)
  T kept;                ///< 1 / (1 - p)
  int64_t rows, columns;
  int64_t stride_x, stride_y;  ///< from row to row
};
void relu(const ReluRows<float>& p);
void relu(const ReluRows<double>& p);

/// d_x = kept d_y where y > 0, else 0: what was dropped is 0 in y, so nothing is drawn again.
/// d_bias[j] += the sum of column j of d_x.
template <class T>
struct ReluGradients {
  const T* y;
  const T* d_y;
  T* d_x;     ///< may be d_y
  T* d_bias;  ///< (columns), or null
  T kept;     ///< 1 without dropout
  int64_t rows, columns;
  int64_t stride_y, stride_d_y, stride_d_x;
};
void relu_backward(const ReluGradients<float>& p);
void relu_backward(const ReluGradients<double>& p);

/// sums[j] += x[0][j] + x[1][j] + ..., one row after the other: the gradient of a bias.
template <class T>
struct ColumnSums {
  const T* x;  ///< (rows, columns)
  int64_t stride;
  T* sums;  ///< (columns)
  int64_t rows, columns;
};
void column_sums(const ColumnSums<float>& p);
void column_sums(const ColumnSums<double>& p);

/// y += factor x, over n numbers.
void add_to(float* y, const float* x, int64_t n, float factor = 1);
void add_to(double* y, const double* x, int64_t n, double factor = 1);

/// y *= factor, over n numbers.
void scale(float* y, int64_t n, float factor);
void scale(double* y, int64_t n, double factor);

}  // namespace attend::kernels
