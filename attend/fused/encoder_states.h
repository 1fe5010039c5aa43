// What the encoder of a recurrent translator hands to the decoder, layer by layer: its last states,
// turned from the order of the sources to that of the targets, and their gradients back.
#pragma once

#include <vector>

#include "attend/fused/recurrent_batch.h"

namespace attend::fused {

template <class T>
class EncoderStates {
 public:
  /// Encodes. All have to outlive this.
  EncoderStates(const Pass<T>& pass, const GruStack<T>& encoder, const RecurrentBatch& batch)
      : pass_(pass), encoder_(encoder), batch_(batch) {
    const int64_t sentences = batch.target.layout.size(), width = encoder.width();
    for (size_t l = 0; l < encoder.layers(); ++l) {
      encoded_.push_back(pass.zeros(sentences, width));
      states_.push_back(pass.take(sentences, width));
      if (pass.learns) d_states_.push_back(pass.zeros(sentences, width));
    }
    trace_ = encoder.forward(pass, batch.source, encoded_, nullptr);
    for (size_t l = 0; l < states_.size(); ++l)
      reorder_rows(batch.source.layout, batch.target.layout, encoded_[l], states_[l], width);
  }

  /// [layer] (B, H) in the targets' order: the decoder's, which move on.
  const std::vector<T*>& states() const { return states_; }
  /// Their gradients, if the pass learns: zeros, for the decoder's way back to make them those of
  /// the first states.
  const std::vector<T*>& d_states() const { return d_states_; }
  /// (N, H), time-major: what the encoder's top layer put out.
  const T* top() const { return trace_.layers.back().rows; }

  /// Once d_states() are those of the first states; d_top (N, H), or null. Sets the encoder's
  /// gradients.
  void backward(const T* d_top) const {
    for (size_t l = 0; l < states_.size(); ++l)
      reorder_rows(batch_.target.layout, batch_.source.layout, d_states_[l], encoded_[l],
                   encoder_.width());
    encoder_.backward(pass_, batch_.source, trace_, d_top, encoded_, nullptr);
  }

 private:
  const Pass<T>& pass_;
  const GruStack<T>& encoder_;
  const RecurrentBatch& batch_;
  std::vector<T*> encoded_, states_, d_states_;
  typename GruStack<T>::Trace trace_;
};

}  // namespace attend::fused
