#include "attend/fused/packed_attention.h"

#include <cmath>

#include "attend/kernels/short_attention.h"

namespace attend::fused {
namespace {

template <class T>
kernels::ShortAttention<T> operands(const PackedAttention<T>& p) {
  const int64_t width = p.query.width / p.heads;
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
          width,
          p.value.width / p.heads,
          p.causal,
          static_cast<T>(1.0 / std::sqrt(static_cast<double>(width))),
          p.row_keys,
          core::dropout_threshold(p.dropout),
          static_cast<T>(1.0 / (1.0 - p.dropout))};
}

}  // namespace

template <class T>
void packed_attention(const PackedAttention<T>& p, Rows<T> out, Workspace& work) {
  const Workspace::Scope scope(work);
  const kernels::ShortAttention<T> sentences = operands(p);
  kernels::short_attention_forward(sentences, out.data, out.stride,
                                   work.take<T>(kernels::short_attention_scratch(sentences)));
}

template <class T>
void packed_attention_backward(const PackedAttention<T>& p, Rows<const T> d_out,
                               const PackedAttentionGradients<T>& gradients, Workspace& work) {
  const Workspace::Scope scope(work);
  const kernels::ShortAttention<T> sentences = operands(p);
  kernels::short_attention_backward(
      sentences,
      kernels::ShortAttentionGradients<T>{
          d_out.data, gradients.query.data, gradients.key.data, gradients.value.data, d_out.stride,
          gradients.query.stride, gradients.key.stride, gradients.value.stride},
      work.take<T>(kernels::short_attention_scratch(sentences)));
}

template void packed_attention(const PackedAttention<float>&, Rows<float>, Workspace&);
template void packed_attention(const PackedAttention<double>&, Rows<double>, Workspace&);
template void packed_attention_backward(const PackedAttention<float>&, Rows<const float>,
                                        const PackedAttentionGradients<float>&, Workspace&);
template void packed_attention_backward(const PackedAttention<double>&, Rows<const double>,
                                        const PackedAttentionGradients<double>&, Workspace&);

}  // namespace attend::fused
