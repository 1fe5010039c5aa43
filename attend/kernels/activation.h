// The gradient of ReLU (its forward pass is a product's end: kernels/gemm.h), and sums over rows.
// Rows have a stride; sums over rows go in the order of the rows.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// d_x = d_y, but 0 where y = relu(x) <= 0. NaN in y lets through, as in d_y.
template <class T>
struct ReluGradients {
  const T* y;
  const T* d_y;
  T* d_x;  ///< may be d_y
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

}  // namespace attend::kernels
