// Collects the attention of a batch step by step and cuts it into sentences.
#pragma once

#include <vector>

#include "attend/data/batch.h"
#include "attend/decoding/hypothesis.h"

namespace attend::decoding {

class AttentionRecorder {
 public:
  /// `source_lengths`: real tokens of each sentence.
  explicit AttentionRecorder(std::vector<int64_t> source_lengths);

  /// The encoder's self-attention, (B, H, S, S) a layer.
  void encoder(const std::vector<AttentionWeights>& layers);
  /// One step's weights, (live, H, 1, Tk) a layer; `sentences` tells which sentence each row is.
  void step(const std::vector<AttentionWeights>& layers, const std::vector<int64_t>& sentences);

  /// What was seen of one sentence; decoder-self maps are square, zeros after the query's own
  /// place.
  std::vector<SentenceAttention> take(int64_t sentence);

 private:
  struct Track {
    AttentionKind kind;
    int64_t layer;
    int64_t heads;
    std::vector<std::vector<float>> rows;  // a query each: [head][key]
  };
  Track& track(int64_t sentence, const AttentionWeights& layer);

  std::vector<int64_t> source_lengths_;
  std::vector<std::vector<Track>> tracks_;  // by sentence
};

}  // namespace attend::decoding
