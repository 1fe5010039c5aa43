// The training step of the Transformer in its plain form: sinusoidal, learned or no positions,
// layer normalisation before or after, ReLU, scaled dot products.
#pragma once

#include <optional>

#include "attend/fused/cross_entropy.h"
#include "attend/fused/entrance.h"
#include "attend/fused/program.h"
#include "attend/fused/transformer_layers.h"

namespace attend::fused {

/// Where the model's parameters lie.
struct TransformerPlaces {
  EntrancePlaces source, target;
  std::vector<EncoderLayerPlaces> encoder;
  std::vector<DecoderLayerPlaces> decoder;
  std::optional<NormPlace> encoder_norm, decoder_norm;  ///< in the end, with norm_first
  LinearPlace output;
  int32_t begin_id = 2;
};

/// What a shard of the step keeps from run to run.
template <class T>
struct TransformerShard {
  // A batch as the layers read it.
  struct Batch {
    SentenceRows source, target;
    SentencePairs encoder_self, decoder_self, cross;
  };
  // What a forward pass leaves behind.
  struct Trace {
    typename Entrance<T>::Trace source, target;
    std::vector<typename EncoderLayer<T>::Trace> encoder;
    std::vector<typename DecoderLayer<T>::Trace> decoder;
    typename Norm<T>::Trace encoder_norm, decoder_norm;
    const T* memory;  // (Nk, D)
  };

  Workspace work;
  Batch rows;
  Trace trace;
  std::vector<T> positions;
};

template <class T>
class Transformer : public ShardedProgram<T, TransformerShard<T>> {
 public:
  /// `positions` may be called from many threads at once.
  Transformer(const TransformerPlaces& places, PositionRows<T> positions);

  double run(int64_t shard, const data::Batch& batch, const core::DropoutState& dropout,
             T* gradients) override;

 private:
  using Shard = TransformerShard<T>;
  using Trace = typename Shard::Trace;

  void read(const data::Batch& batch, bool dropout, typename Shard::Batch& rows) const;
  const T* position_rows(int64_t count, std::vector<T>& table) const;
  void encode(const Pass<T>& pass, Shard& shard) const;
  T* decode(const Pass<T>& pass, Shard& shard) const;  // (N, D)
  void decode_back(const Pass<T>& pass, Shard& shard, T* d, T* d_memory) const;
  void encode_back(const Pass<T>& pass, Shard& shard, T* d) const;
  typename DecoderLayer<T>::Sight sight(const Shard& shard) const;
  int64_t width() const { return output_.inputs(); }

  Entrance<T> source_, target_;
  std::vector<EncoderLayer<T>> encoder_;
  std::vector<DecoderLayer<T>> decoder_;
  std::optional<Norm<T>> encoder_norm_, decoder_norm_;
  Linear<T> output_;
  PositionRows<T> positions_;
  int64_t heads_;
  int32_t begin_id_;
};

extern template class Transformer<float>;
extern template class Transformer<double>;

}  // namespace attend::fused
