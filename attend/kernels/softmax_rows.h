// Softmax over the first columns of each row, forward and backward, for attention in blocks.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// Row i of (rows, columns), contiguous, sees its first min(columns, visible + i * growth) columns:
/// growth 1 is a causal mask, 0 none.
struct VisibleColumns {
  int64_t rows;
  int64_t columns;
  int64_t visible;
  int64_t growth;
};

/// x: scores, overwritten by weights exp(scale x - shift) factor, 0 where not visible. `sums`
/// (rows, 2) receives each row's shift, its greatest scale x, and factor, one over the sum. (Their
/// one logarithm would lose digits where scores are large.) A row that sees nothing gets zeros.
void softmax_rows(float* x, float* sums, float scale, const VisibleColumns& shape);
void softmax_rows(double* x, double* sums, double scale, const VisibleColumns& shape);

/// The same weights again from the scores, the sums being known.
void softmax_rows_again(float* x, const float* sums, float scale, const VisibleColumns& shape);
void softmax_rows_again(double* x, const double* sums, double scale, const VisibleColumns& shape);

/// d: gradient of the weights, overwritten by that of the scores,
/// scale w (d - sum over the row of d w).
void softmax_rows_backward(float* d, const float* weights, float scale,
                           const VisibleColumns& shape);
void softmax_rows_backward(double* d, const double* weights, double scale,
                           const VisibleColumns& shape);

}  // namespace attend::kernels
