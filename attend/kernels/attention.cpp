#include "attend/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "attend/core/random.h"
#include "attend/kernels/attention_block.h"
#include "attend/kernels/attention_columns.h"
#include "attend/kernels/gemm.h"
#include "attend/kernels/transpose.h"

namespace attend::kernels {
namespace {

using detail::Block;
using detail::kKeys;
using detail::kQueries;
using detail::padded;
using detail::Scratch;
using detail::SeenHead;
using detail::Sight;

template <class T>
T log2_factor(double factor) {
  return static_cast<T>(factor * std::numbers::log2e);
}

// The bias of a block of queries and keys, in units of log 2, key by key.
template <class T>
void fill_bias(const SeenHead<T>& head, const Block<T>& b, int64_t key, int64_t keys,
               const Scratch<T>& s) {
  const T factor = log2_factor<T>(1);
  for (int64_t i = 0; i < b.rows; ++i) {
    T* row = s.bias_rows + i * keys;
    const T* from = head.bias + (b.first + i) * head.bias_row;
    for (int64_t j = 0; j < keys; ++j) row[j] = factor * from[head.position(key + j)];
  }
  transpose(TransposeOperands<T>{s.bias_rows, keys, s.bias, b.columns, b.rows, keys, T(1)});
  for (int64_t j = 0; j < keys; ++j)
    std::fill(s.bias + j * b.columns + b.rows, s.bias + (j + 1) * b.columns, T(0));
}

// s.scores = k q^T, and how to see them.
template <class T>
ScoreColumns<T> score(const SeenHead<T>& head, const Block<T>& b, int64_t key, int64_t keys,
                      Sight seen, const Scratch<T>& s) {
  gemm(GemmOperands<T>{head.key + key * head.key_stride, head.key_stride, 1, s.query_t, b.columns,
                       s.scores, b.columns, keys, b.columns, head.width, false});
  if (head.bias != nullptr) fill_bias(head, b, key, keys, s);
  return {s.scores,
          b.columns,
          b.columns,
          key,
          keys,
          seen == Sight::kSome ? s.hidden : nullptr,
          head.bias != nullptr ? s.bias : nullptr,
          head.distance != nullptr ? s.distance + head.all_keys - 1 + b.first : nullptr,
          head.row_keys != nullptr ? s.row_keys : nullptr,
          core::dropout_threshold(head.dropout),
          head.seen != nullptr ? head.seen + key : nullptr};
}

// body(columns) for the keys that the block sees, up to kKeys at a time, their scores made.
template <class T, class Body>
void for_keys(const SeenHead<T>& head, const Block<T>& b, const Scratch<T>& s, const Body& body) {
  for (int64_t key = b.low; key < b.high; key += kKeys) {
    const int64_t keys = std::min(kKeys, b.high - key);
    const Sight seen = detail::sight(head, b, key, keys, s);
    if (seen != Sight::kNone) body(score(head, b, key, keys, seen, s));
  }
}

// to (columns, stride) = factor * from (rows, columns)^T, zeros up to the stride.
template <class T>
void take_columns(const T* from, int64_t from_stride, int64_t rows, int64_t columns, T* to,
                  int64_t stride, T factor) {
  transpose(TransposeOperands<T>{from, from_stride, to, stride, rows, columns, factor});
  if (rows == stride) return;
  for (int64_t j = 0; j < columns; ++j)
    std::fill(to + j * stride + rows, to + (j + 1) * stride, T(0));
}

template <class T>
Block<T> start_block(const SeenHead<T>& head, int64_t first, const Scratch<T>& s) {
  const Block<T> b = detail::block_of(head, first, s);
  take_columns(head.query + first * head.query_stride, head.query_stride, b.rows, head.width,
               s.query_t, b.columns, log2_factor<T>(head.scale));
  if (head.row_keys != nullptr) {
    std::copy_n(head.row_keys + first, b.rows, s.row_keys);
    std::fill(s.row_keys + b.rows, s.row_keys + b.columns, 0U);
  }
  return b;
}

// By i - j from 1 - Tk on, in units of log 2.
template <class T>
void start_distances(const SeenHead<T>& head, const Scratch<T>& s) {
  if (head.distance == nullptr) return;
  const int64_t count = std::max<int64_t>(head.queries + head.all_keys - 1, 0);
  const T factor = log2_factor<T>(1);
  for (int64_t n = 0; n < count; ++n) s.distance[n] = factor * head.distance[head.all_keys - 1 - n];
  std::fill_n(s.distance + count, 2 * kAttentionColumns<T>, T(0));
}

template <class T>
double kept_factor(const AttentionHead<T>& head) {
  return head.row_keys == nullptr ? 1.0 : 1.0 / (1.0 - head.dropout);
}

// In eight sums, so that it need not wait for each.
template <class T>
T dot(const T* x, const T* y, int64_t n) {
  constexpr int64_t kSums = 8;
  T sums[kSums] = {};
  int64_t j = 0;
  for (; j + kSums <= n; j += kSums)
    for (int64_t l = 0; l < kSums; ++l) sums[l] += x[j + l] * y[j + l];
  for (; j < n; ++j) sums[j % kSums] += x[j] * y[j];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// (rows, width) with row i times factor[i].
template <class T>
void copy_rows(const T* from, int64_t stride, int64_t rows, int64_t width, T* to, const T* factor) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; ++j) to[i * width + j] = factor[i] * from[i * stride + j];
}

template <class T>
void forward_block(const SeenHead<T>& head, const Block<T>& b, const AttentionOutput<T>& output,
                   const Scratch<T>& s) {
  std::fill_n(s.shift, b.columns, -std::numeric_limits<T>::infinity());
  std::fill_n(s.sum, b.columns, T(0));
  bool is_first = true;
  for_keys(head, b, s, [&](const ScoreColumns<T>& columns) {
    attention_weigh(columns, s.shift, s.sum, s.correction);
    if (!is_first) multiply_columns(s.out_t, head.value_width, b.columns, b.columns, s.correction);
    gemm(GemmOperands<T>{head.value + columns.first_key * head.value_stride, 1, head.value_stride,
                         s.scores, b.columns, s.out_t, b.columns, head.value_width, b.columns,
                         columns.keys, !is_first});
    is_first = false;
  });
  if (is_first) std::fill_n(s.out_t, head.value_width * b.columns, T(0));
  T* sums = output.sums + 2 * b.first;
  for (int64_t c = 0; c < b.rows; ++c) {
    const bool dead = s.sum[c] == 0;
    sums[2 * c] = dead ? T(0) : s.shift[c];
    sums[2 * c + 1] = dead ? T(0) : 1 / s.sum[c];
    s.correction[c] = sums[2 * c + 1] * static_cast<T>(kept_factor(head));
  }
  std::fill(s.correction + b.rows, s.correction + b.columns, T(0));
  multiply_columns(s.out_t, head.value_width, b.columns, b.columns, s.correction);
  transpose(TransposeOperands<T>{s.out_t, b.columns, output.out + b.first * output.out_stride,
                                 output.out_stride, head.value_width, b.rows, T(1)});
}

// shift, and correction = factor, from the sums.
template <class T>
void load_sums(const Block<T>& b, const T* sums, const Scratch<T>& s) {
  for (int64_t c = 0; c < b.columns; ++c) {
    s.shift[c] = c < b.rows ? sums[2 * (b.first + c)] : T(0);
    s.correction[c] = c < b.rows ? sums[2 * (b.first + c) + 1] : T(0);
  }
}

// The block's own queries, scaled, their d_out times the factor of their weights, and sum = the
// mean over their weights of d_weights: out . d_out.
template <class T>
void start_back(const SeenHead<T>& head, const Block<T>& b, const AttentionGradients<T>& g,
                const Scratch<T>& s) {
  load_sums(b, g.sums, s);
  const T* d_out = g.d_out + b.first * g.d_out_stride;
  const T* out = g.out + b.first * g.out_stride;
  std::fill(s.sum, s.sum + b.columns, T(0));
  for (int64_t i = 0; i < b.rows; ++i) {
    s.sum[i] =
        s.correction[i] * dot(d_out + i * g.d_out_stride, out + i * g.out_stride, head.value_width);
    s.correction[i] *= static_cast<T>(kept_factor(head));
  }
  copy_rows(d_out, g.d_out_stride, b.rows, head.value_width, s.d_out_rows, s.correction);
  take_columns(s.d_out_rows, head.value_width, b.rows, head.value_width, s.d_out_t, b.columns,
               T(1));
  std::fill_n(s.correction, b.rows, static_cast<T>(head.scale));
  copy_rows(head.query + b.first * head.query_stride, head.query_stride, b.rows, head.width,
            s.query_rows, s.correction);
}

template <class T>
void backward_keys(const SeenHead<T>& head, const Block<T>& b, const AttentionGradients<T>& g,
                   const ScoreColumns<T>& columns, bool is_first, const Scratch<T>& s) {
  using Product = GemmOperands<T>;
  const int64_t key = columns.first_key, keys = columns.keys;
  // d_weights = v d_out^T
  gemm(Product{head.value + key * head.value_stride, head.value_stride, 1, s.d_out_t, b.columns,
               s.d_scores, b.columns, keys, b.columns, head.value_width, false});
  attention_take_back(columns, s.shift, s.sum, s.d_scores);
  // d_v += weights d_out, d_k += d_scores q, d_q^T += k^T d_scores
  gemm(Product{s.scores, b.columns, 1, s.d_out_rows, head.value_width,
               g.d_value + key * g.d_value_stride, g.d_value_stride, keys, head.value_width, b.rows,
               true});
  gemm(Product{s.d_scores, b.columns, 1, s.query_rows, head.width, g.d_key + key * g.d_key_stride,
               g.d_key_stride, keys, head.width, b.rows, true});
  gemm(Product{head.key + key * head.key_stride, 1, head.key_stride, s.d_scores, b.columns, s.out_t,
               b.columns, head.width, b.columns, keys, !is_first});
  if (g.d_distance != nullptr)
    add_by_distance(columns, s.d_scores, b.rows, s.d_distance + head.all_keys - 1 + b.first);
  if (g.d_bias == nullptr) return;
  transpose(TransposeOperands<T>{s.d_scores, b.columns, s.bias_rows, keys, keys, b.rows, T(1)});
  for (int64_t i = 0; i < b.rows; ++i) {
    T* to = g.d_bias + (b.first + i) * g.d_bias_row;
    for (int64_t j = 0; j < keys; ++j) to[head.position(key + j)] += s.bias_rows[i * keys + j];
  }
}

// Gradients of keys and values, packed where those are.
template <class T>
AttentionGradients<T> start_seen(const SeenHead<T>& head, const AttentionGradients<T>& g,
                                 const Scratch<T>& s) {
  AttentionGradients<T> own = g;
  if (head.seen == nullptr) return own;
  std::fill_n(s.d_key, head.keys * head.width, T(0));
  std::fill_n(s.d_value, head.keys * head.value_width, T(0));
  own.d_key = s.d_key, own.d_key_stride = head.width;
  own.d_value = s.d_value, own.d_value_stride = head.value_width;
  return own;
}

template <class T>
void add_seen(const SeenHead<T>& head, const AttentionGradients<T>& g, const Scratch<T>& s) {
  if (head.seen == nullptr) return;
  const auto add = [](const T* from, int64_t width, T* to) {
    for (int64_t j = 0; j < width; ++j) to[j] += from[j];
  };
  for (int64_t n = 0; n < head.keys; ++n) {
    add(s.d_key + n * head.width, head.width, g.d_key + head.seen[n] * g.d_key_stride);
    add(s.d_value + n * head.value_width, head.value_width,
        g.d_value + head.seen[n] * g.d_value_stride);
  }
}

// weights (rows, Tk) of a block, from its columns.
template <class T>
void store_weights(const SeenHead<T>& head, const Block<T>& b, const ScoreColumns<T>& columns,
                   T* weights, int64_t stride, const Scratch<T>& s) {
  const int64_t key = columns.first_key, keys = columns.keys;
  T* rows = weights + b.first * stride;
  const bool packed = head.seen != nullptr;
  transpose(TransposeOperands<T>{s.scores, b.columns, packed ? s.bias_rows : rows + key,
                                 packed ? keys : stride, keys, b.rows, T(1)});
  if (!packed) return;
  for (int64_t i = 0; i < b.rows; ++i)
    for (int64_t j = 0; j < keys; ++j)
      rows[i * stride + head.position(key + j)] = s.bias_rows[i * keys + j];
}

}  // namespace

template <class T>
int64_t attention_scratch(const AttentionHead<T>& head) {
  return Scratch<T>(head, nullptr).size;
}

template <class T>
void attention_forward(const AttentionHead<T>& head, const AttentionOutput<T>& output, T* scratch) {
  const Scratch<T> s(head, scratch);
  const SeenHead<T> seen(head, s);
  start_distances(seen, s);
  for (int64_t first = 0; first < head.queries; first += kQueries)
    forward_block(seen, start_block(seen, first, s), output, s);
}

template <class T>
void attention_weights(const AttentionHead<T>& head, const T* sums, T* weights, int64_t stride,
                       T* scratch) {
  const Scratch<T> s(head, scratch);
  const SeenHead<T> seen(head, s);
  start_distances(seen, s);
  for (int64_t first = 0; first < head.queries; first += kQueries) {
    const Block<T> b = start_block(seen, first, s);
    load_sums(b, sums, s);
    for (int64_t i = 0; i < b.rows; ++i)
      std::fill_n(weights + (first + i) * stride, head.keys, T(0));
    for_keys(seen, b, s, [&](ScoreColumns<T> columns) {
      columns.row_keys = nullptr;
      attention_weigh_again(columns, s.shift);
      multiply_columns(s.scores, columns.keys, b.columns, b.columns, s.correction);
      store_weights(seen, b, columns, weights, stride, s);
    });
  }
}

template <class T>
void attention_backward(const AttentionHead<T>& head, const AttentionGradients<T>& g, T* scratch) {
  const Scratch<T> s(head, scratch);
  const SeenHead<T> seen(head, s);
  const AttentionGradients<T> own = start_seen(seen, g, s);
  start_distances(seen, s);
  const int64_t distances = head.queries + head.keys - 1;
  if (g.d_distance != nullptr) std::fill_n(s.d_distance, distances, T(0));
  for (int64_t first = 0; first < head.queries; first += kQueries) {
    const Block<T> b = start_block(seen, first, s);
    start_back(seen, b, g, s);
    bool is_first = true;
    for_keys(seen, b, s, [&](const ScoreColumns<T>& columns) {
      backward_keys(seen, b, own, columns, is_first, s);
      is_first = false;
    });
    if (is_first) std::fill_n(s.out_t, head.width * b.columns, T(0));
    transpose(TransposeOperands<T>{s.out_t, b.columns, g.d_query + first * g.d_query_stride,
                                   g.d_query_stride, head.width, b.rows,
                                   static_cast<T>(head.scale)});
  }
  add_seen(seen, g, s);
  if (g.d_distance == nullptr) return;
  for (int64_t n = 0; n < distances; ++n) g.d_distance[head.keys - 1 - n] += s.d_distance[n];
}

template int64_t attention_scratch(const AttentionHead<float>&);
template int64_t attention_scratch(const AttentionHead<double>&);
template void attention_forward(const AttentionHead<float>&, const AttentionOutput<float>&, float*);
template void attention_forward(const AttentionHead<double>&, const AttentionOutput<double>&,
                                double*);
template void attention_weights(const AttentionHead<float>&, const float*, float*, int64_t, float*);
template void attention_weights(const AttentionHead<double>&, const double*, double*, int64_t,
                                double*);
template void attention_backward(const AttentionHead<float>&, const AttentionGradients<float>&,
                                 float*);
template void attention_backward(const AttentionHead<double>&, const AttentionGradients<double>&,
                                 double*);

}  // namespace attend::kernels
