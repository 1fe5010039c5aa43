#include "attend/fused/transformer_layers.h"

namespace attend::fused {
namespace {

template <class T>
typename AttentionBlock<T>::Sight to_itself(const SelfSight& sight) {
  return {sight.pairs, sight.rows.attention_numbers, Rows<const T>(nullptr, 0, 0)};
}

// A sub-layer and its place in a layer, forward and backward.
template <class T>
struct Step {
  const Pass<T>& pass;
  const std::vector<int64_t>& numbers;
  int64_t n, width;

  Rows<T> rows(T* x) const { return {x, n, width}; }
  Rows<const T> rows(const T* x) const { return {x, n, width}; }

  T* attend(const Residual<T>& norm, const AttentionBlock<T>& attention,
            const typename AttentionBlock<T>::Sight& sight, const T* x,
            typename Residual<T>::Trace& of_norm,
            typename AttentionBlock<T>::Trace& of_attention) const {
    return norm.forward(pass, n, numbers, x, of_norm, [&](const T* in, T* out) {
      of_attention = attention.forward(pass, sight, rows(in), rows(out));
    });
  }
  void attend_back(const Residual<T>& norm, const AttentionBlock<T>& attention,
                   const typename AttentionBlock<T>::Sight& sight,
                   const typename Residual<T>::Trace& of_norm,
                   const typename AttentionBlock<T>::Trace& of_attention, T* d, Rows<T> d_memory,
                   bool add_memory) const {
    norm.backward(pass, n, of_norm, d, [&](const T* in, T* d_s, T* d_in, bool add) {
      attention.backward(pass, sight, of_attention, rows(in), rows(d_s),
                         {rows(d_in), add, d_memory, add_memory});
    });
  }

  T* feed(const Residual<T>& norm, const FeedForward<T>& network, const T* x,
          typename Residual<T>::Trace& of_norm, T*& inner) const {
    return norm.forward(pass, n, numbers, x, of_norm, [&](const T* in, T* out) {
      inner = network.forward(pass, rows(in), rows(out));
    });
  }
  void feed_back(const Residual<T>& norm, const FeedForward<T>& network,
                 const typename Residual<T>::Trace& of_norm, const T* inner, T* d) const {
    norm.backward(pass, n, of_norm, d, [&](const T* in, T* d_s, T* d_in, bool add) {
      network.backward(pass, rows(in), inner, rows(d_s), rows(d_in), add);
    });
  }
};

template <class T>
Step<T> step(const Pass<T>& pass, const SelfSight& sight, const Residual<T>& norm) {
  return {pass, sight.rows.numbers, sight.rows.rows(), norm.width()};
}

}  // namespace

template <class T>
EncoderLayer<T>::EncoderLayer(const EncoderLayerPlaces& places, Panels<T>& panels)
    : attention_(places.self, panels),
      feed_forward_(places.feed_forward, panels),
      norm1_(places.norm1),
      norm2_(places.norm2) {}

template <class T>
T* EncoderLayer<T>::forward(const Pass<T>& pass, const SelfSight& sight, const T* x,
                            Trace& trace) const {
  const Step<T> by = step(pass, sight, norm1_);
  const T* y = by.attend(norm1_, attention_, to_itself<T>(sight), x, trace.norm1, trace.attention);
  return by.feed(norm2_, feed_forward_, y, trace.norm2, trace.inner);
}

template <class T>
void EncoderLayer<T>::backward(const Pass<T>& pass, const SelfSight& sight, const Trace& trace,
                               T* d) const {
  const Step<T> by = step(pass, sight, norm1_);
  by.feed_back(norm2_, feed_forward_, trace.norm2, trace.inner, d);
  by.attend_back(norm1_, attention_, to_itself<T>(sight), trace.norm1, trace.attention, d,
                 by.rows(d), false);
}

template <class T>
DecoderLayer<T>::DecoderLayer(const DecoderLayerPlaces& places, Panels<T>& panels)
    : self_(places.self, panels),
      cross_(places.cross, panels),
      feed_forward_(places.feed_forward, panels),
      norm1_(places.norm1),
      norm2_(places.norm2),
      norm3_(places.norm3) {}

template <class T>
T* DecoderLayer<T>::forward(const Pass<T>& pass, const Sight& sight, const T* x,
                            Trace& trace) const {
  const Step<T> by = step(pass, sight.self, norm1_);
  const T* y = by.attend(norm1_, self_, to_itself<T>(sight.self), x, trace.norm1, trace.self);
  const T* z =
      by.attend(norm2_, cross_, {sight.cross, sight.self.rows.attention_numbers, sight.memory}, y,
                trace.norm2, trace.cross);
  return by.feed(norm3_, feed_forward_, z, trace.norm3, trace.inner);
}

template <class T>
void DecoderLayer<T>::backward(const Pass<T>& pass, const Sight& sight, const Trace& trace, T* d,
                               Rows<T> d_memory, bool add) const {
  const Step<T> by = step(pass, sight.self, norm1_);
  by.feed_back(norm3_, feed_forward_, trace.norm3, trace.inner, d);
  by.attend_back(norm2_, cross_, {sight.cross, sight.self.rows.attention_numbers, sight.memory},
                 trace.norm2, trace.cross, d, d_memory, add);
  by.attend_back(norm1_, self_, to_itself<T>(sight.self), trace.norm1, trace.self, d, by.rows(d),
                 false);
}

template class EncoderLayer<float>;
template class EncoderLayer<double>;
template class DecoderLayer<float>;
template class DecoderLayer<double>;

}  // namespace attend::fused
