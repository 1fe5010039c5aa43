// The inner loop of dropout on raw memory: what element of which row is kept.
#pragma once

#include <cstdint>

namespace attend::ops::detail {

/// out (rows, columns), contiguous: `kept` where the element is kept, else 0. `keys` (rows) are the
/// rows' keys, `threshold` as in core::dropout_keeps.
void fill_dropout_mask(float* out, const uint32_t* keys, int64_t rows, int64_t columns,
                       uint32_t threshold, float kept);
void fill_dropout_mask(double* out, const uint32_t* keys, int64_t rows, int64_t columns,
                       uint32_t threshold, double kept);

}  // namespace attend::ops::detail
