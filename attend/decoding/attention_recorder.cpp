#include "attend/decoding/attention_recorder.h"

#include <algorithm>

namespace attend::decoding {
namespace {

// [head][key] of one query, its first `keys` keys.
std::vector<float> query_row(const at::Tensor& weights, int64_t sentence, int64_t query,
                             int64_t keys) {
  const int64_t heads = weights.size(1);
  std::vector<float> row(static_cast<size_t>(heads * keys));
  const float* base = weights.const_data_ptr<float>();
  for (int64_t h = 0; h < heads; ++h) {
    const float* from =
        base + sentence * weights.stride(0) + h * weights.stride(1) + query * weights.stride(2);
    for (int64_t k = 0; k < keys; ++k)
      row[static_cast<size_t>(h * keys + k)] = from[k * weights.stride(3)];
  }
  return row;
}

}  // namespace

AttentionRecorder::AttentionRecorder(std::vector<int64_t> source_lengths)
    : source_lengths_(std::move(source_lengths)), tracks_(source_lengths_.size()) {}

AttentionRecorder::Track& AttentionRecorder::track(int64_t sentence,
                                                   const AttentionWeights& layer) {
  auto& tracks = tracks_[static_cast<size_t>(sentence)];
  for (Track& track : tracks)
    if (track.kind == layer.kind && track.layer == layer.layer) return track;
  tracks.push_back({layer.kind, layer.layer, layer.weights.size(1), {}});
  return tracks.back();
}

void AttentionRecorder::encoder(const std::vector<AttentionWeights>& layers) {
  for (const AttentionWeights& layer : layers) {
    for (size_t b = 0; b < source_lengths_.size(); ++b) {
      const auto sentence = static_cast<int64_t>(b);
      Track& into = track(sentence, layer);
      for (int64_t q = 0; q < source_lengths_[b]; ++q)
        into.rows.push_back(query_row(layer.weights, sentence, q, source_lengths_[b]));
    }
  }
}

void AttentionRecorder::step(const std::vector<AttentionWeights>& layers,
                             const std::vector<int64_t>& sentences) {
  for (const AttentionWeights& layer : layers) {
    for (size_t i = 0; i < sentences.size(); ++i) {
      const int64_t b = sentences[i];
      const int64_t keys = layer.kind == AttentionKind::kCross
                               ? source_lengths_[static_cast<size_t>(b)]
                               : layer.weights.size(3);
      track(b, layer).rows.push_back(query_row(layer.weights, static_cast<int64_t>(i), 0, keys));
    }
  }
}

std::vector<SentenceAttention> AttentionRecorder::take(int64_t sentence) {
  std::vector<SentenceAttention> result;
  for (const Track& track : tracks_[static_cast<size_t>(sentence)]) {
    SentenceAttention a{
        track.kind, track.layer, track.heads, static_cast<int64_t>(track.rows.size()), 0, {}};
    for (const auto& row : track.rows)
      a.keys = std::max(a.keys, static_cast<int64_t>(row.size()) / track.heads);
    a.weights.assign(static_cast<size_t>(a.heads * a.queries * a.keys), 0.0f);
    for (int64_t q = 0; q < a.queries; ++q) {
      const auto& row = track.rows[static_cast<size_t>(q)];
      const int64_t keys = static_cast<int64_t>(row.size()) / track.heads;
      for (int64_t h = 0; h < a.heads; ++h)
        std::copy_n(row.begin() + h * keys, keys, a.weights.begin() + (h * a.queries + q) * a.keys);
    }
    result.push_back(std::move(a));
  }
  tracks_[static_cast<size_t>(sentence)].clear();
  return result;
}

}  // namespace attend::decoding
