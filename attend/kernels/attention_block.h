// How attention.cpp works: a block of queries at a time, against a block of keys at a time, in the
// caller's scratch; and who sees whom in such a block. Private to it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "attend/kernels/attention.h"
#include "attend/kernels/attention_columns.h"

namespace attend::kernels::detail {

// A block's scores stay in the first cache beside the keys that they are made from. Who is hidden
// is a word of bits for each key, a bit a query.
inline constexpr int64_t kQueries = 32, kKeys = 128, kBits = 32;

template <class T>
int64_t padded(int64_t columns) {
  constexpr int64_t kStep = kAttentionColumns<T>;
  return (columns + kStep - 1) / kStep * kStep;
}

// What a block of queries works with; all of it in the caller's scratch.
template <class T>
struct Scratch {
  T *query_t, *out_t;           // (D or Dv, kQueries)
  T *scores, *d_scores;         // (kKeys, kQueries)
  T *shift, *sum, *correction;  // (kQueries)
  T* bias;                      // (kKeys, kQueries), and the rows that it is transposed from
  T* bias_rows;
  T *query_rows, *d_out_rows;  // (kQueries, D or Dv)
  T* d_out_t;                  // (Dv, kQueries)
  T *distance, *d_distance;    // (Tq + Tk + padding), by i - j
  T *key, *value;              // (seen_count, D or Dv): those that are seen
  T *d_key, *d_value;
  uint32_t *row_keys, *hidden;  // (kQueries), (kKeys)
  int32_t *from_key, *to_key;   // (kQueries)
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
    shift = take(q);
    sum = take(q);
    correction = take(q);
    query_rows = take(q * head.width);
    d_out_rows = take(q * head.value_width);
    d_out_t = take(head.value_width * q);
    bias = take(head.bias != nullptr ? block : 0);
    bias_rows = take(head.bias != nullptr || head.seen != nullptr ? block : 0);
    const int64_t distances =
        head.distance != nullptr ? head.queries + head.keys + 2 * kAttentionColumns<T> : 0;
    distance = take(distances);
    d_distance = take(distances);
    const int64_t seen = head.seen != nullptr ? head.seen_count : 0;
    key = take(seen * head.width);
    value = take(seen * head.value_width);
    d_key = take(seen * head.width);
    d_value = take(seen * head.value_width);
    row_keys = reinterpret_cast<uint32_t*>(take(q));  // no 32 bits are wider than T
    hidden = reinterpret_cast<uint32_t*>(take(kKeys));
    from_key = reinterpret_cast<int32_t*>(take(q));
    to_key = reinterpret_cast<int32_t*>(take(q));
  }
};

// The head as if the keys that are seen were all there are; `seen` says where they stand.
template <class T>
struct SeenHead : AttentionHead<T> {
  int64_t all_keys;  // Tk

  SeenHead(const AttentionHead<T>& head, const Scratch<T>& s)
      : AttentionHead<T>(head), all_keys(head.keys) {
    if (head.seen == nullptr) return;
    for (int64_t n = 0; n < head.seen_count; ++n) {
      std::copy_n(head.key + head.seen[n] * head.key_stride, head.width, s.key + n * head.width);
      std::copy_n(head.value + head.seen[n] * head.value_stride, head.value_width,
                  s.value + n * head.value_width);
    }
    this->key = s.key, this->key_stride = head.width;
    this->value = s.value, this->value_stride = head.value_width;
    this->keys = head.seen_count;
  }

  int64_t position(int64_t key) const { return this->seen != nullptr ? this->seen[key] : key; }
  // Of the first key at this position or behind it.
  int64_t key_at(int64_t position) const {
    if (this->seen == nullptr) return std::clamp<int64_t>(position, 0, this->keys);
    return std::lower_bound(this->seen, this->seen + this->keys, position) - this->seen;
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
Block<T> block_of(const SeenHead<T>& head, int64_t first, const Scratch<T>& s) {
  Block<T> b{first, std::min(kQueries, head.queries - first), 0, head.keys, 0, 0, head.keys};
  b.columns = padded<T>(b.rows);
  for (int64_t c = 0; c < b.rows; ++c) {
    const int64_t i = first + c;
    int64_t end = i + head.most + 1;
    if (head.lengths != nullptr) end = std::min(end, head.lengths[i]);
    const int64_t to = head.key_at(end), from = std::min(head.key_at(i + head.least), to);
    s.from_key[c] = static_cast<int32_t>(from);
    s.to_key[c] = static_cast<int32_t>(to);
    if (from < to) {
      b.low = std::min(b.low, from);
      b.high = std::max(b.high, to);
    }
    b.open_low = std::max(b.open_low, from);
    b.open_high = std::min(b.open_high, to);
  }
  return b;
}

// Which of a block of keys a block of queries sees.
enum class Sight { kAll, kSome, kNone };

// The lowest n bits, of 32.
inline uint32_t lowest(int64_t n) {
  return n <= 0 ? 0U : n >= kBits ? ~0U : (1U << static_cast<uint32_t>(n)) - 1U;
}

// s.hidden = what AttentionHead::hidden says, query by query: as pack_hidden() has it.
template <class T>
void fill_hidden(const SeenHead<T>& head, const Block<T>& b, int64_t key, int64_t keys,
                 const Scratch<T>& s) {
  const bool* first = head.hidden + b.first * head.hidden_row;
  const int64_t rows = head.hidden_row == 0 ? 1 : b.rows;
  if (head.hidden_column == 1 && head.seen == nullptr) {
    pack_hidden({first + key, head.hidden_row, rows, keys}, s.hidden);
  } else {
    bool near[kQueries * kKeys];
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < keys; ++j)
        near[i * kKeys + j] =
            first[i * head.hidden_row + head.position(key + j) * head.hidden_column];
    pack_hidden({near, kKeys, rows, keys}, s.hidden);
  }
  for (int64_t j = 0; j < keys; j += kBits)
    std::fill(s.hidden + j + rows, s.hidden + j + b.rows, s.hidden[j]);
}

// Of kSome, s.hidden says which: a word a key, as ScoreColumns has it.
template <class T>
Sight sight(const SeenHead<T>& head, const Block<T>& b, int64_t key, int64_t keys,
            const Scratch<T>& s) {
  const bool limited = key < b.open_low || key + keys > b.open_high;
  if (!limited && head.hidden == nullptr) return Sight::kAll;
  std::fill_n(s.hidden, kKeys, 0U);
  if (head.hidden != nullptr) fill_hidden(head, b, key, keys, s);
  uint32_t any = 0, all = ~0U;
  for (int64_t j = 0; j < keys; j += kBits) {
    const uint32_t real = lowest(keys - j);
    for (int64_t i = 0; i < b.rows; ++i) {
      uint32_t& word = s.hidden[j + i];
      if (limited) word |= lowest(s.from_key[i] - key - j) | ~lowest(s.to_key[i] - key - j);
      word &= real;
      any |= word;
      all &= word | ~real;
    }
  }
  if (any == 0) return Sight::kAll;
  if (all == ~0U) return Sight::kNone;
  for (int64_t j = 0; j < keys; j += kBits) transpose_bits(s.hidden + j);
  return Sight::kSome;
}

}  // namespace attend::kernels::detail
