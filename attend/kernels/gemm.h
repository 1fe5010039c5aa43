// Matrix products on raw pointers.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// C (m x n) = A (m x k) B (k x n), or C += A B. B is read as it lies, or from panels that
/// gemm_pack() made: of a weight used often, or where rows of B lie far apart.
template <class T>
struct GemmOperands {
  const T* a;
  int64_t row_stride_a;  ///< so that A may be a transposed view
  int64_t column_stride_a;
  const T* b;
  int64_t ldb;  ///< rows of B are contiguous; not read when B is packed
  T* c;
  int64_t ldc;
  int64_t m, n, k;
  bool accumulate;
  const T* bias = nullptr;  ///< (n), added to each row; not together with accumulate
  bool relu = false;        ///< C = max(C, 0) in the end; NaN stays
  bool packed = false;      ///< b is what gemm_pack() made
};
void gemm(const GemmOperands<float>& p);
void gemm(const GemmOperands<double>& p);

/// B (k x n) in panels of as many columns as a tile of the product has, each panel k rows one after
/// the other, the last one filled up with zeros. Panels fit the instruction set in use alone.
template <class T>
struct GemmPack {
  const T* b;
  int64_t row_stride;  ///< so that B may be a transposed view
  int64_t column_stride;
  int64_t k, n;
  T* panels;  ///< gemm_packed_size() numbers
};
void gemm_pack(const GemmPack<float>& p);
void gemm_pack(const GemmPack<double>& p);

/// The numbers that the panels of a (k x n) matrix take. T is float or double.
template <class T>
int64_t gemm_packed_size(int64_t k, int64_t n);

}  // namespace attend::kernels
