// The Transformer's layers (Vaswani et al. 2017, 3.1), forward and backward.
#pragma once

#include "attend/fused/attention_block.h"
#include "attend/fused/feed_forward.h"
#include "attend/fused/residual.h"

namespace attend::fused {

struct EncoderLayerPlaces {
  AttentionPlaces self;
  FeedForwardPlaces feed_forward;
  ResidualPlace norm1, norm2;
};

struct DecoderLayerPlaces {
  AttentionPlaces self, cross;
  FeedForwardPlaces feed_forward;
  ResidualPlace norm1, norm2, norm3;
};

/// Attention among the rows of one side.
struct SelfSight {
  const SentenceRows& rows;
  const SentencePairs& pairs;
};

template <class T>
class EncoderLayer {
 public:
  EncoderLayer(const EncoderLayerPlaces& places, Panels<T>& panels);

  struct Trace {
    typename AttentionBlock<T>::Trace attention;
    T* inner;
    typename Residual<T>::Trace norm1, norm2;
  };
  /// x (N, D); returns a new (N, D).
  T* forward(const Pass<T>& pass, const SelfSight& sight, const T* x, Trace& trace) const;
  /// d (N, D) of what forward returned becomes that of x.
  void backward(const Pass<T>& pass, const SelfSight& sight, const Trace& trace, T* d) const;

 private:
  AttentionBlock<T> attention_;
  FeedForward<T> feed_forward_;
  Residual<T> norm1_, norm2_;
};

template <class T>
class DecoderLayer {
 public:
  DecoderLayer(const DecoderLayerPlaces& places, Panels<T>& panels);

  struct Trace {
    typename AttentionBlock<T>::Trace self, cross;
    T* inner;
    typename Residual<T>::Trace norm1, norm2, norm3;
  };
  /// What a layer sees besides x.
  struct Sight {
    SelfSight self;
    const SentencePairs& cross;
    Rows<const T> memory;  ///< (Nk, D)
  };
  T* forward(const Pass<T>& pass, const Sight& sight, const T* x, Trace& trace) const;
  /// d_memory (Nk, D) is written or, with `add`, added to.
  void backward(const Pass<T>& pass, const Sight& sight, const Trace& trace, T* d, Rows<T> d_memory,
                bool add) const;

 private:
  AttentionBlock<T> self_, cross_;
  FeedForward<T> feed_forward_;
  Residual<T> norm1_, norm2_, norm3_;
};

extern template class EncoderLayer<float>;
extern template class EncoderLayer<double>;
extern template class DecoderLayer<float>;
extern template class DecoderLayer<double>;

}  // namespace attend::fused
