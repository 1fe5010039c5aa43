// Small matrix products on raw pointers.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// C (m x n) = A (m x k) B (k x n), or C += A B. For what fits in the caches: B is read as it lies.
template <class T>
struct GemmOperands {
  const T* a;
  int64_t row_stride_a;  ///< so that A may be a transposed view
  int64_t column_stride_a;
  const T* b;
  int64_t ldb;  ///< rows of B are contiguous
  T* c;
  int64_t ldc;
  int64_t m, n, k;
  bool accumulate;
};
void gemm(const GemmOperands<float>& p);
void gemm(const GemmOperands<double>& p);

}  // namespace attend::kernels
