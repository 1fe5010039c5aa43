// Transposes between strided rows and contiguous columns.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// to[j * to_stride + i] = factor * from[i * from_stride + j] for i < rows, j < columns.
template <class T>
struct TransposeOperands {
  const T* from;
  int64_t from_stride;
  T* to;
  int64_t to_stride;
  int64_t rows, columns;  ///< of `from`
  T factor;
};
void transpose(const TransposeOperands<float>& p);
void transpose(const TransposeOperands<double>& p);

}  // namespace attend::kernels
