// Scaled dot-product attention of one head, forward and backward, a block of queries and keys at a
// time: the (Tq, Tk) weights are never kept, but made again in the backward pass from each query's
// shift and factor (Dao et al. 2022, with its gradient).
//
//   s_ij = scale q_i . k_j + bias_ij + distance_{j - i}   w = softmax(s)   out = (w m) v
//
// over the pairs that see each other; m is dropout's multiplier. What no query of a block sees is
// not computed: a causal mask costs half, a window its width. Keys that no query sees at all are
// left out beforehand, wherever they stand.
#pragma once

#include <cstdint>
#include <limits>

namespace attend::kernels {

/// Rows are contiguous and `..._stride` numbers apart. Hidden keys and values have to be finite;
/// what is visible and is not makes its query's row NaN. Keys are at most 2^31.
template <class T>
struct AttentionHead {
  const T* query;  ///< (Tq, D)
  int64_t query_stride;
  const T* key;  ///< (Tk, D)
  int64_t key_stride;
  const T* value;  ///< (Tk, Dv)
  int64_t value_stride;
  int64_t queries, keys, width, value_width;  ///< Tq, Tk, D, Dv
  double scale;

  /// Query i sees key j if least <= j - i <= most, j < lengths[i] and not hidden[i][j].
  int64_t least = std::numeric_limits<int64_t>::min() / 4;
  int64_t most = std::numeric_limits<int64_t>::max() / 4;
  const int64_t* lengths = nullptr;  ///< (Tq), or null
  const bool* hidden = nullptr;      ///< (Tq, Tk) by its two strides, or null
  int64_t hidden_row = 0, hidden_column = 0;
  /// The keys that there are to see, (seen_count) rising positions below Tk; null: all. The rows of
  /// the others are not read, and their gradients not added to.
  const int32_t* seen = nullptr;
  int64_t seen_count = 0;

  const T* bias = nullptr;  ///< (Tq, Tk), rows contiguous, or null
  int64_t bias_row = 0;
  /// distance[d] for d = 1 - Tq .. Tk - 1 (it points behind those below 0), or null.
  const T* distance = nullptr;

  /// core::dropout_row_key of each query, (Tq); null: no dropout.
  const uint32_t* row_keys = nullptr;
  double dropout = 0;  ///< the probability
};

/// Numbers of scratch that the calls below need.
template <class T>
int64_t attention_scratch(const AttentionHead<T>& head);

/// Fills out (Tq, Dv) and sums (Tq, 2), each query's shift and factor. A query that sees nothing
/// gets zeros.
template <class T>
struct AttentionOutput {
  T* out;
  int64_t out_stride;
  T* sums;
};
template <class T>
void attention_forward(const AttentionHead<T>& head, const AttentionOutput<T>& output, T* scratch);

/// weights (Tq, Tk), rows `stride` apart, before dropout; zeros where hidden.
template <class T>
void attention_weights(const AttentionHead<T>& head, const T* sums, T* weights, int64_t stride,
                       T* scratch);

template <class T>
struct AttentionGradients {
  const T* out;  ///< (Tq, Dv), as forward left it
  int64_t out_stride;
  const T* sums;   ///< (Tq, 2)
  const T* d_out;  ///< (Tq, Dv)
  int64_t d_out_stride;
  T* d_query;  ///< (Tq, D): written
  int64_t d_query_stride;
  T* d_key;  ///< (Tk, D): added to
  int64_t d_key_stride;
  T* d_value;  ///< (Tk, Dv): added to
  int64_t d_value_stride;
  T* d_bias = nullptr;  ///< (Tq, Tk): added to, or null
  int64_t d_bias_row = 0;
  T* d_distance = nullptr;  ///< as distance: added to, or null
};
template <class T>
void attention_backward(const AttentionHead<T>& head, const AttentionGradients<T>& gradients,
                        T* scratch);

}  // namespace attend::kernels
