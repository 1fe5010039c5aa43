// Dropout of rows: the mask is a function of row keys and columns (core/random.h), so backward
// makes it again and nothing is stored.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// y = x m, with m = kept where core::dropout_keeps(keys[row], column, threshold), else 0. What is
/// dropped is 0 whatever x is. The gradient of x is the same function of that of y.
template <class T>
struct DropoutRows {
  const T* x;            ///< (rows, columns), or null: ones, so that y is the mask
  T* y;                  ///< (rows, columns); may be x
  const uint32_t* keys;  ///< (rows)
  int64_t rows, columns;
  int64_t stride_x, stride_y;  ///< from row to row
  uint32_t threshold;          ///< core::dropout_threshold(p)
  T kept;                      ///< 1 / (1 - p)
};
void dropout(const DropoutRows<float>& p);
void dropout(const DropoutRows<double>& p);

/// keys[i] = the upper half of core::combine(site, numbers[i]): core::dropout_row_key, of which
/// `site` is the part that all rows share.
void dropout_row_keys(uint64_t site, const int64_t* numbers, int64_t n, uint32_t* keys);

}  // namespace attend::kernels
