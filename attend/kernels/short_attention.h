// Multi-head scaled dot-product attention over packed rows of many short sentences, forward and
// backward: a sentence a lane, as many at once as a vector has numbers, so that no product is too
// small and no sum goes across a vector. In each head
//
//   w = softmax(scale q k^T)   out = (w m) v
//
// m is dropout's multiplier (kernels/dropout.h). Nothing is kept for the backward pass, which makes
// the weights again.
#pragma once

#include <cstdint>

namespace attend::kernels {

/// Head h owns columns h width .. of the rows; a row's numbers are contiguous. All have to be
/// finite.
template <class T>
struct ShortAttention {
  const T* query;                                  ///< (Nq, heads width)
  const T* key;                                    ///< (Nk, heads width)
  const T* value;                                  ///< (Nk, heads value_width)
  int64_t query_stride, key_stride, value_stride;  ///< from row to row
  const int64_t* query_offsets;                    ///< (sentences + 1): as data::PackedIds
  const int64_t* key_offsets;                      ///< (sentences + 1)
  const int64_t* order;  ///< sentences in this order share vectors: best those of like length
  int64_t sentences, heads, width, value_width;
  bool causal;  ///< a query sees its own position and those before it
  T scale;
  const uint32_t* row_keys;  ///< (heads, Nq): dropout's; or null: m = 1
  uint32_t threshold;        ///< core::dropout_threshold(p)
  T kept;                    ///< 1 / (1 - p)
};

/// Sentences that share a vector. T is float or double.
template <class T>
int64_t short_attention_lanes();

/// Numbers of scratch that the calls below need.
template <class T>
int64_t short_attention_scratch(const ShortAttention<T>& p);

/// out (Nq, heads value_width), rows `stride` apart. A sentence without keys gets zeros.
void short_attention_forward(const ShortAttention<float>& p, float* out, int64_t stride,
                             float* scratch);
void short_attention_forward(const ShortAttention<double>& p, double* out, int64_t stride,
                             double* scratch);

template <class T>
struct ShortAttentionGradients {
  const T* d_out;  ///< (Nq, heads value_width)
  T* d_query;      ///< (Nq, heads width), written, as are the others
  T* d_key;        ///< (Nk, heads width)
  T* d_value;      ///< (Nk, heads value_width)
  int64_t d_out_stride, d_query_stride, d_key_stride, d_value_stride;
};
void short_attention_backward(const ShortAttention<float>& p,
                              const ShortAttentionGradients<float>& g, float* scratch);
void short_attention_backward(const ShortAttention<double>& p,
                              const ShortAttentionGradients<double>& g, double* scratch);

}  // namespace attend::kernels
