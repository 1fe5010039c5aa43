#include "attend/fused/attention_block.h"

namespace attend::fused {

template <class T>
AttentionBlock<T>::AttentionBlock(const AttentionPlaces& places, Panels<T>& panels)
    : own_(places.cross ? std::vector{places.query}
                        : std::vector{places.query, places.key, places.value},
           panels),
      output_(places.output.weight, places.output.bias, panels),
      width_(places.query.weight.outputs),
      heads_(places.heads),
      causal_(places.causal),
      cross_(places.cross),
      site_(places.site) {
  if (cross_) memory_ = Projections<T>({places.key, places.value}, panels);
}

template <class T>
PackedAttention<T> AttentionBlock<T>::attention(const Pass<T>& pass, const Sight& sight,
                                                const Trace& trace, int64_t rows) const {
  const int64_t w = width_;
  const Rows<const T> own(trace.own, rows, own_.outputs());
  const auto at = [&](int64_t i) {  // keys and values
    return cross_ ? columns(Rows<const T>(trace.memory, sight.memory.count, 2 * w), (i - 1) * w, w)
                  : columns(own, i * w, w);
  };
  return {columns(own, 0, w),       at(1),     at(2), sight.pairs, heads_, causal_, trace.keys,
          pass.dropout.probability, trace.sums};
}

template <class T>
typename AttentionBlock<T>::Trace AttentionBlock<T>::forward(const Pass<T>& pass,
                                                             const Sight& sight, Rows<const T> x,
                                                             Rows<T> y) const {
  const int64_t n = x.count;
  const int64_t sums = packed_attention_sums<T>(sight.pairs, heads_, width_ / heads_);
  Trace trace{pass.take(n, own_.outputs()), nullptr, pass.take(n, width_), pass.take(1, sums),
              dropout_keys(pass, site_, sight.numbers)};
  own_.forward(pass, x, Rows<T>(trace.own, n, own_.outputs()));
  if (cross_) {
    const int64_t keys = sight.memory.count;
    trace.memory = pass.take(keys, 2 * width_);
    memory_.forward(pass, sight.memory, Rows<T>(trace.memory, keys, 2 * width_));
  }
  const Rows<T> attended(trace.attended, n, width_);
  packed_attention(attention(pass, sight, trace, n), attended, pass.work);
  output_.forward(pass, attended, y);
  return trace;
}

template <class T>
void AttentionBlock<T>::backward(const Pass<T>& pass, const Sight& sight, const Trace& trace,
                                 Rows<const T> x, Rows<const T> d_y,
                                 const Gradients& gradients) const {
  const Workspace::Scope scope(pass.work);
  const int64_t n = x.count, keys = sight.memory.count, w = width_;
  output_.backward_weight(pass, d_y, Rows<const T>(trace.attended, n, w));
  const Rows<T> d_attended(pass.take(n, w), n, w);
  output_.backward_input(pass, d_y, d_attended);

  const Rows<T> d_own(pass.take(n, own_.outputs()), n, own_.outputs());
  const Rows<T> d_memory(cross_ ? pass.take(keys, 2 * w) : nullptr, keys, 2 * w);
  const PackedAttentionGradients<T> d{columns(d_own, 0, w),
                                      cross_ ? columns(d_memory, 0, w) : columns(d_own, w, w),
                                      cross_ ? columns(d_memory, w, w) : columns(d_own, 2 * w, w)};
  packed_attention_backward(attention(pass, sight, trace, n), Rows<const T>(trace.attended, n, w),
                            Rows<const T>(d_attended), d, pass.work);
  own_.backward_weight(pass, d_own, x);
  own_.backward_input(pass, d_own, gradients.x, gradients.add);
  if (!cross_) return;
  memory_.backward_weight(pass, d_memory, sight.memory);
  memory_.backward_input(pass, d_memory, gradients.memory, gradients.add_memory);
}

template class AttentionBlock<float>;
template class AttentionBlock<double>;

}  // namespace attend::fused
