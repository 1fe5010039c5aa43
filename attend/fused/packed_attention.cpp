#include "attend/fused/packed_attention.h"

#include <algorithm>
#include <cmath>

#include "attend/kernels/attention.h"
#include "attend/kernels/short_attention.h"

namespace attend::fused {
namespace {

// Beyond this a lane's weights leave the cache.
constexpr int64_t kLongestShort = 64;

// Measured on AVX-512: a sentence a lane is the faster way below 256 numbers a head in a sentence,
// if all lanes have one.
template <class T>
bool are_short(const SentencePairs& pairs, int64_t width) {
  if (std::max(pairs.most_queries, pairs.most_keys) > kLongestShort) return false;
  const int64_t lanes = kernels::short_attention_lanes<T>(), sentences = pairs.size();
  const int64_t taken = (sentences + lanes - 1) / lanes * lanes;
  const int64_t rows = std::max(pairs.query_offsets->back(), pairs.key_offsets->back());
  return rows * width * taken <= 256 * sentences * sentences;
}

template <class T>
T scale_of(const PackedAttention<T>& p) {
  return static_cast<T>(1.0 / std::sqrt(static_cast<double>(p.query.width / p.heads)));
}

template <class T>
kernels::ShortAttention<T> in_lanes(const PackedAttention<T>& p) {
  return {p.query.data,
          p.key.data,
          p.value.data,
          p.query.stride,
          p.key.stride,
          p.value.stride,
          p.pairs.query_offsets->data(),
          p.pairs.key_offsets->data(),
          p.pairs.order.data(),
          p.pairs.size(),
          p.heads,
          p.query.width / p.heads,
          p.value.width / p.heads,
          p.causal,
          scale_of(p),
          p.row_keys,
          core::dropout_threshold(p.dropout),
          static_cast<T>(1.0 / (1.0 - p.dropout))};
}

// One head of one sentence, and where its parts begin.
template <class T>
struct Head {
  int64_t first_query, first_key, number;
  kernels::AttentionHead<T> operands;

  T* of_query(Rows<T> x) const { return x.row(first_query) + number * operands.width; }
  T* of_key(Rows<T> x) const { return x.row(first_key) + number * operands.width; }
  T* of_value(Rows<T> x) const { return x.row(first_key) + number * operands.value_width; }
  template <class U>
  U* of_out(Rows<U> x) const {
    return x.row(first_query) + number * operands.value_width;
  }
  T* sums(const PackedAttention<T>& p) const {
    return p.sums + 2 * (number * p.query.count + first_query);
  }
};

template <class T>
Head<T> head_of(const PackedAttention<T>& p, size_t sentence, int64_t h) {
  const auto &queries = *p.pairs.query_offsets, &keys = *p.pairs.key_offsets;
  const int64_t q = queries[sentence], k = keys[sentence];
  const int64_t width = p.query.width / p.heads, value_width = p.value.width / p.heads;
  kernels::AttentionHead<T> head{p.query.row(q) + h * width,
                                 p.query.stride,
                                 p.key.row(k) + h * width,
                                 p.key.stride,
                                 p.value.row(k) + h * value_width,
                                 p.value.stride,
                                 queries[sentence + 1] - q,
                                 keys[sentence + 1] - k,
                                 width,
                                 value_width,
                                 1.0 / std::sqrt(static_cast<double>(width))};
  if (p.causal) head.most = 0;
  if (p.row_keys != nullptr) head.row_keys = p.row_keys + h * p.query.count + q;
  head.dropout = p.dropout;
  return {q, k, h, head};
}

// body(head, scratch) for all of them.
template <class T, class Body>
void for_heads(const PackedAttention<T>& p, Workspace& work, const Body& body) {
  for (size_t b = 0; b < p.pairs.order.size(); ++b)
    for (int64_t h = 0; h < p.heads; ++h) {
      const Workspace::Scope scope(work);
      const Head<T> head = head_of(p, b, h);
      body(head, work.take<T>(kernels::attention_scratch(head.operands)));
    }
}

template <class T>
void clear(Rows<T> x) {
  for (int64_t i = 0; i < x.count; ++i) std::fill_n(x.row(i), x.width, T(0));
}

}  // namespace

template <class T>
int64_t packed_attention_sums(const SentencePairs& pairs, int64_t heads, int64_t width) {
  return are_short<T>(pairs, width) ? 0 : 2 * heads * pairs.query_offsets->back();
}

template <class T>
void packed_attention(const PackedAttention<T>& p, Rows<T> out, Workspace& work) {
  if (are_short<T>(p.pairs, p.query.width / p.heads)) {
    const Workspace::Scope scope(work);
    const kernels::ShortAttention<T> lanes = in_lanes(p);
    T* scratch = work.take<T>(kernels::short_attention_scratch(lanes));
    return kernels::short_attention_forward(lanes, out.data, out.stride, scratch);
  }
  for_heads(p, work, [&](const Head<T>& head, T* scratch) {
    kernels::attention_forward(
        head.operands, kernels::AttentionOutput<T>{head.of_out(out), out.stride, head.sums(p)},
        scratch);
  });
}

template <class T>
void packed_attention_backward(const PackedAttention<T>& p, Rows<const T> out, Rows<const T> d_out,
                               const PackedAttentionGradients<T>& d, Workspace& work) {
  if (are_short<T>(p.pairs, p.query.width / p.heads)) {
    const Workspace::Scope scope(work);
    const kernels::ShortAttention<T> lanes = in_lanes(p);
    T* scratch = work.take<T>(kernels::short_attention_scratch(lanes));
    return kernels::short_attention_backward(
        lanes,
        kernels::ShortAttentionGradients<T>{d_out.data, d.query.data, d.key.data, d.value.data,
                                            d_out.stride, d.query.stride, d.key.stride,
                                            d.value.stride},
        scratch);
  }
  clear(d.key);
  clear(d.value);
  for_heads(p, work, [&](const Head<T>& head, T* scratch) {
    kernels::attention_backward(
        head.operands,
        kernels::AttentionGradients<T>{head.of_out(out), out.stride, head.sums(p),
                                       head.of_out(d_out), d_out.stride, head.of_query(d.query),
                                       d.query.stride, head.of_key(d.key), d.key.stride,
                                       head.of_value(d.value), d.value.stride},
        scratch);
  });
}

template int64_t packed_attention_sums<float>(const SentencePairs&, int64_t, int64_t);
template int64_t packed_attention_sums<double>(const SentencePairs&, int64_t, int64_t);
template void packed_attention(const PackedAttention<float>&, Rows<float>, Workspace&);
template void packed_attention(const PackedAttention<double>&, Rows<double>, Workspace&);
template void packed_attention_backward(const PackedAttention<float>&, Rows<const float>,
                                        Rows<const float>, const PackedAttentionGradients<float>&,
                                        Workspace&);
template void packed_attention_backward(const PackedAttention<double>&, Rows<const double>,
                                        Rows<const double>, const PackedAttentionGradients<double>&,
                                        Workspace&);

}  // namespace attend::fused
