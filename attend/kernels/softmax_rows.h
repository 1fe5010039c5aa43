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

/// x: scores, overwritten by weights exp(scale x - log_sum), 0 where not visible. log_sums (rows):
/// log of the sum of exp(scale x). A row that sees nothing gets zeros, and 0.
void softmax_rows(float* x, float* log_sums, float scale, const VisibleColumns& shape);
void softmax_rows(double* x, double* log_sums, double scale, const VisibleColumns& shape);

/// The same weights again from the scores, log_sums being known.
void softmax_rows_again(float* x, const float* log_sums, float scale, const VisibleColumns& shape);
void softmax_rows_again(double* x, const double* log_sums, double scale,
                        const VisibleColumns& shape);

/// d: gradient of the weights, overwritten by that of the scores,
/// scale w (d - sum over the row of d w).
void softmax_rows_backward(float* d, const float* weights, float scale,
                           const VisibleColumns& shape);
void softmax_rows_backward(double* d, const double* weights, double scale,
                           const VisibleColumns& shape);

}  // namespace attend::kernels
