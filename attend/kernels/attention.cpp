#include "attend/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "attend/core/random.h"
#include "attend/kernels/attention_columns.h"
#include "attend/kernels/gemm.h"
#include "attend/kernels/transpose.h"

namespace attend::kernels {
namespace {

// A block's scores stay in the first cache beside the keys that they are made from.
constexpr int64_t kQueries = 32, kKeys = 128;

template <class T>
int64_t padded(int64_t columns) {
  constexpr int64_t kStep = kAttentionColumns<T>;
  return (columns + kStep - 1) / kStep * kStep;
}

// What a block of queries works with; all of it in the caller's scratch.
template <class T>
struct Scratch {
  T *query_t, *out_t;    // (D or Dv, kQueries)
  T *scores, *d_scores;  // (kKeys, kQueries)
  T *from_key, *to_key;  // (kQueries), and so on
  T *shift, *sum, *correction;
  T* bias;  // (kKeys, kQueries), and the rows that it is transposed from
  T* bias_rows;
  T *query_rows, *d_out_rows;  // (kQueries, D or Dv)
  T* d_out_t;                  // (Dv, kQueries)
  T *distance, *d_distance;    // (Tq + Tk + padding), by i - j
  uint32_t* row_keys;
  int64_t size = 0;

  // From null: the size alone.
  Scratch(const AttentionHead<T>& head, T* start) {
    const auto take = [&](int64_t count) {
      T* taken = start == nullptr ? nullptr : start + size;
      size += padded<T>(count);
      return taken;
    };
    const int64_t q = kQueries, block = kQueries * kKeys;
    query_t = take(head.width * q);
    out_t = take(std::max(head.width, head.value_width) * q);
    scores = take(block);
    d_scores = take(block);
    from_key = take(q);
    to_key = take(q);
    shift = take(q);
    sum = take(q);
    correction = take(q);
    query_rows = take(q * head.width);
    d_out_rows = take(q * head.value_width);
    d_out_t = take(head.value_width * q);
    const bool biased = head.bias != nullptr || head.hidden != nullptr;
    bias = take(biased ? block : 0);
    bias_rows = take(biased ? block : 0);
    const int64_t distances =
        head.distance != nullptr ? head.queries + head.keys + 2 * kAttentionColumns<T> : 0;
    distance = take(distances);
    d_distance = take(distances);
    row_keys = reinterpret_cast<uint32_t*>(take(q));  // uint32_t is no wider than T
  }
};

// A block of queries: rows first .. first + rows - 1, which see no key outside [low, high) and, as
// far as their limits go, all of those in [open_low, open_high).
template <class T>
struct Block {
  int64_t first, rows, columns;
  int64_t low, high, open_low, open_high;
};

template <class T>
Block<T> block_of(const AttentionHead<T>& head, int64_t first, const Scratch<T>& s) {
  Block<T> b{first, std::min(kQueries, head.queries - first), 0, head.keys, 0, 0, head.keys};
  b.columns = padded<T>(b.rows);
  for (int64_t c = 0; c < b.columns; ++c) {
    const int64_t i = first + std::min(c, b.rows - 1);  // beyond the last: as the last
    int64_t to = std::min(head.keys, i + head.most + 1);
    if (head.lengths != nullptr) to = std::min(to, head.lengths[i]);
    to = std::max<int64_t>(to, 0);
    const int64_t from = std::clamp<int64_t>(i + head.least, 0, to);
    s.from_key[c] = static_cast<T>(from);
    s.to_key[c] = static_cast<T>(to);
    if (from < to) {
      b.low = std::min(b.low, from);
      b.high = std::max(b.high, to);
    }
    b.open_low = std::max(b.open_low, from);
    b.open_high = std::min(b.open_high, to);
  }
  return b;
}

// body(first, count) for the keys that the block sees, kKeys at a time.
template <class T, class Body>
void for_keys(const Block<T>& b, const Body& body) {
  for (int64_t first = b.low; first < b.high; first += kKeys)
    body(first, std::min(kKeys, b.high - first));
}

template <class T>
T log2_factor(double factor) {
  return static_cast<T>(factor * std::numbers::log2e);
}

// The bias of a block of queries and keys, in units of log 2 and with -infinity where hidden, key
// by key.
template <class T>
void fill_bias(const AttentionHead<T>& head, const Block<T>& b, int64_t key, int64_t keys,
               const Scratch<T>& s) {
  const T factor = log2_factor<T>(1);
  for (int64_t i = 0; i < b.rows; ++i) {
    T* row = s.bias_rows + i * keys;
    const int64_t q = b.first + i;
    if (head.bias != nullptr) {
      const T* from = head.bias + q * head.bias_row + key;
      for (int64_t j = 0; j < keys; ++j) row[j] = factor * from[j];
    } else {
      std::fill_n(row, keys, T(0));
    }
    if (head.hidden == nullptr) continue;
    const bool* hidden = head.hidden + q * head.hidden_row + key * head.hidden_column;
    const auto hide = [&](int64_t column) {
      for (int64_t j = 0; j < keys; ++j)
        row[j] = hidden[j * column] ? -std::numeric_limits<T>::infinity() : row[j];
    };
    head.hidden_column == 1 ? hide(1) : hide(head.hidden_column);
  }
  transpose(TransposeOperands<T>{s.bias_rows, keys, s.bias, b.columns, b.rows, keys, T(1)});
  for (int64_t j = 0; j < keys; ++j)
    std::fill(s.bias + j * b.columns + b.rows, s.bias + (j + 1) * b.columns, T(0));
}

// s.scores = k q^T, and how to see them.
template <class T>
ScoreColumns<T> score(const AttentionHead<T>& head, const Block<T>& b, int64_t key, int64_t keys,
                      const Scratch<T>& s) {
  gemm(GemmOperands<T>{head.key + key * head.key_stride, head.key_stride, 1, s.query_t, b.columns,
                       s.scores, b.columns, keys, b.columns, head.width, false});
  const bool limited = key < b.open_low || key + keys > b.open_high;
  const bool biased = head.bias != nullptr || head.hidden != nullptr;
  if (biased) fill_bias(head, b, key, keys, s);
  return {s.scores,
          b.columns,
          b.columns,
          key,
          keys,
          limited ? s.from_key : nullptr,
          limited ? s.to_key : nullptr,
          biased ? s.bias : nullptr,
          head.distance != nullptr ? s.distance + head.keys - 1 + b.first : nullptr,
          head.row_keys != nullptr ? s.row_keys : nullptr,
          core::dropout_threshold(head.dropout)};
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
Block<T> start_block(const AttentionHead<T>& head, int64_t first, const Scratch<T>& s) {
  const Block<T> b = block_of(head, first, s);
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
void start_distances(const AttentionHead<T>& head, const Scratch<T>& s) {
  if (head.distance == nullptr) return;
  const int64_t count = std::max<int64_t>(head.queries + head.keys - 1, 0);
  const T factor = log2_factor<T>(1);
  for (int64_t n = 0; n < count; ++n) s.distance[n] = factor * head.distance[head.keys - 1 - n];
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
void forward_block(const AttentionHead<T>& head, const Block<T>& b,
                   const AttentionOutput<T>& output, const Scratch<T>& s) {
  std::fill_n(s.shift, b.columns, -std::numeric_limits<T>::infinity());
  std::fill_n(s.sum, b.columns, T(0));
  bool is_first = true;
  for_keys(b, [&](int64_t key, int64_t keys) {
    attention_weigh(score(head, b, key, keys, s), s.shift, s.sum, s.correction);
    if (!is_first) multiply_columns(s.out_t, head.value_width, b.columns, b.columns, s.correction);
    gemm(GemmOperands<T>{head.value + key * head.value_stride, 1, head.value_stride, s.scores,
                         b.columns, s.out_t, b.columns, head.value_width, b.columns, keys,
                         !is_first});
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
void start_back(const AttentionHead<T>& head, const Block<T>& b, const AttentionGradients<T>& g,
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
void backward_keys(const AttentionHead<T>& head, const Block<T>& b, const AttentionGradients<T>& g,
                   int64_t key, int64_t keys, const Scratch<T>& s) {
  using Product = GemmOperands<T>;
  const ScoreColumns<T> columns = score(head, b, key, keys, s);
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
               b.columns, head.width, b.columns, keys, key != b.low});
  if (g.d_distance != nullptr)
    add_by_distance(columns, s.d_scores, b.rows, s.d_distance + head.keys - 1 + b.first);
  if (g.d_bias == nullptr) return;
  transpose(TransposeOperands<T>{s.d_scores, b.columns, s.bias_rows, keys, keys, b.rows, T(1)});
  for (int64_t i = 0; i < b.rows; ++i) {
    T* to = g.d_bias + (b.first + i) * g.d_bias_row + key;
    for (int64_t j = 0; j < keys; ++j) to[j] += s.bias_rows[i * keys + j];
  }
}

}  // namespace

template <class T>
int64_t attention_scratch(const AttentionHead<T>& head) {
  return Scratch<T>(head, nullptr).size;
}

template <class T>
void attention_forward(const AttentionHead<T>& head, const AttentionOutput<T>& output, T* scratch) {
  const Scratch<T> s(head, scratch);
  start_distances(head, s);
  for (int64_t first = 0; first < head.queries; first += kQueries)
    forward_block(head, start_block(head, first, s), output, s);
}

template <class T>
void attention_weights(const AttentionHead<T>& head, const T* sums, T* weights, int64_t stride,
                       T* scratch) {
  const Scratch<T> s(head, scratch);
  start_distances(head, s);
  for (int64_t first = 0; first < head.queries; first += kQueries) {
    const Block<T> b = start_block(head, first, s);
    load_sums(b, sums, s);
    for (int64_t i = 0; i < b.rows; ++i)
      std::fill_n(weights + (first + i) * stride, head.keys, T(0));
    for_keys(b, [&](int64_t key, int64_t keys) {
      ScoreColumns<T> columns = score(head, b, key, keys, s);
      columns.row_keys = nullptr;
      attention_weigh_again(columns, s.shift);
      multiply_columns(s.scores, keys, b.columns, b.columns, s.correction);
      transpose(TransposeOperands<T>{s.scores, b.columns, weights + first * stride + key, stride,
                                     keys, b.rows, T(1)});
    });
  }
}

template <class T>
void attention_backward(const AttentionHead<T>& head, const AttentionGradients<T>& g, T* scratch) {
  const Scratch<T> s(head, scratch);
  start_distances(head, s);
  const int64_t distances = head.queries + head.keys - 1;
  if (g.d_distance != nullptr) std::fill_n(s.d_distance, distances, T(0));
  for (int64_t first = 0; first < head.queries; first += kQueries) {
    const Block<T> b = start_block(head, first, s);
    start_back(head, b, g, s);
    if (b.low >= b.high) std::fill_n(s.out_t, head.width * b.columns, T(0));
    for_keys(b, [&](int64_t key, int64_t keys) { backward_keys(head, b, g, key, keys, s); });
    transpose(TransposeOperands<T>{s.out_t, b.columns, g.d_query + first * g.d_query_stride,
                                   g.d_query_stride, head.width, b.rows,
                                   static_cast<T>(head.scale)});
  }
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
