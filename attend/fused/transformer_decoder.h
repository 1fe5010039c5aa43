// Decoding with the Transformer in its plain form: keys and values are kept, those of the source
// projected once.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "attend/fused/look_attention.h"
#include "attend/fused/next_token.h"
#include "attend/fused/transformer.h"

namespace attend::fused {

/// A table of positions that grows. Safe from many threads at once.
class PositionTable {
 public:
  explicit PositionTable(PositionRows<float> make) : make_(std::move(make)) {}
  /// Rows 0 .. count - 1 at least; null when there are none.
  std::shared_ptr<const std::vector<float>> rows(int64_t count);

 private:
  PositionRows<float> make_;
  std::mutex mutex_;
  int64_t count_ = 0;
  std::shared_ptr<const std::vector<float>> table_;
};

struct TransformerDecoderPlaces {
  TransformerPlaces model;
  std::shared_ptr<PositionTable> positions;  ///< of decoders over the same model; not null
};

class TransformerState;

class TransformerDecoder : public Decoder {
 public:
  /// `never` as NextToken takes it. `parameters` have to stay.
  TransformerDecoder(const TransformerDecoderPlaces& places, std::vector<int32_t> never,
                     const float* parameters);

  std::unique_ptr<State> start(const data::PackedIds& source,
                               std::vector<SeenWeights>* weights) const override;

 private:
  friend class TransformerState;
  struct EncoderLayer {
    LookAttention attention;
    FeedForward<float> feed_forward;
    Residual<float> norm1, norm2;
  };
  struct DecoderLayer {
    LookAttention self, cross;
    FeedForward<float> feed_forward;
    Residual<float> norm1, norm2, norm3;
  };

  int64_t width() const { return width_; }
  void step(TransformerState& state, const int32_t* tokens, const DecoderOutput& out) const;
  void look_back(const Pass<float>& pass, size_t layer, Rows<const float> in, Rows<float> change,
                 TransformerState& state, std::vector<SeenWeights>* weights) const;
  void look_across(const Pass<float>& pass, size_t layer, Rows<const float> in, Rows<float> change,
                   TransformerState& state, std::vector<SeenWeights>* weights) const;
  float* encode(const Pass<float>& pass, const data::PackedIds& source,
                std::vector<SeenWeights>* weights) const;

  const float* parameters_;
  Panels<float> panels_;
  Entrance<float> source_, target_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::optional<Norm<float>> encoder_norm_, decoder_norm_;
  NextToken output_;
  int64_t width_;
  std::shared_ptr<PositionTable> positions_;
  mutable WorkspacePool memory_;
};

}  // namespace attend::fused
