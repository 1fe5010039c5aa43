// Softmax over the visible columns of rows, forward and backward.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// Weights of rows of scores: exp(s_j) / sum over the visible k of exp(s_k), and 0 where j is
/// hidden. Whatever a hidden score is, it reaches nothing; a row that sees nothing, or -infinity
/// alone, gets zeros.
template <class T>
struct MaskedSoftmaxRows {
  const T* scores;         ///< (rows, columns)
  T* weights;              ///< (rows, columns); may be the scores
  const int64_t* visible;  ///< (rows): row i sees its first visible[i] columns; or null: all
  const bool* hidden;      ///< of those, (rows, columns), true = hidden; or null: none
  int64_t hidden_stride;   ///< from row to row; 0 repeats one row
  int64_t rows, columns;
};
void masked_softmax(const MaskedSoftmaxRows<float>& p);
void masked_softmax(const MaskedSoftmaxRows<double>& p);

/// d_scores = w (d_weights - sum over the row of d_weights w). Where a weight is 0, what arrives
/// counts for nothing.
template <class T>
struct MaskedSoftmaxGradients {
  const T* weights;
  const T* d_weights;
  T* d_scores;             ///< may be d_weights
  const int64_t* visible;  ///< as forward, or null
  int64_t rows, columns;
};
void masked_softmax_backward(const MaskedSoftmaxGradients<float>& p);
void masked_softmax_backward(const MaskedSoftmaxGradients<double>& p);

}  // namespace attend::kernels
