#include "attend/fused/bahdanau_translator.h"

#include <algorithm>

#include "attend/fused/zones.h"

namespace attend::fused {
namespace {

// y[i] = x[rows[i]].
template <class T>
void gather_rows(const T* x, const std::vector<int64_t>& rows, T* y, int64_t width) {
  for (const int64_t row : rows) y = std::copy_n(x + row * width, width, y);
}

}  // namespace

template <class T>
BahdanauTranslator<T>::BahdanauTranslator(const BahdanauTranslatorPlaces& places)
    : encoder_(places.source_embedding, places.encoder, panels_),
      key_(places.key, Linear<T>::kNone, panels_),
      token_(places.target_embedding, Linear<T>(places.token, places.token_bias, panels_),
             places.tied),
      decoder_(places.decoder, panels_),
      output_(places.output, places.output_bias, panels_),
      begin_id_(places.begin_id) {}

template <class T>
void BahdanauTranslator<T>::prepare(const T* parameters, int64_t shards) {
  parameters_ = parameters;
  panels_.pack(parameters);
  if (shards_.size() < static_cast<size_t>(shards)) shards_.resize(static_cast<size_t>(shards));
}

template <class T>
double BahdanauTranslator<T>::run(int64_t shard, const data::Batch& batch,
                                  const core::DropoutState& dropout, T* gradients) {
  Shard& own = shards_[static_cast<size_t>(shard)];
  core::Profile::Zone zone(this->profile_of(shard), zones::kBatches);
  own.work.reset();
  own.batch.read(batch, encoder_.vocabulary(), token_.vocabulary(), begin_id_);
  const TokenRows &source = own.batch.source, &target = own.batch.target;
  own.begins.clear();
  own.lengths.clear();
  for (const int64_t b : target.layout.order) {
    own.begins.push_back(batch.source.offsets[static_cast<size_t>(b)]);
    own.lengths.push_back(batch.source.length(b));
  }
  const Pass<T> pass{parameters_, panels_, gradients, own.work, dropout, this->profile_of(shard)};
  const int64_t sentences = batch.size(), width = decoder_.width();
  const int64_t source_rows = source.layout.rows(), target_rows = target.layout.rows();

  zone.next(zones::kEncoderForward);
  std::vector<T*> encoded, states, d_states;  // [layer] (B, H)
  for (size_t l = 0; l < encoder_.layers(); ++l) {
    encoded.push_back(pass.zeros(sentences, width));
    states.push_back(pass.take(sentences, width));
    d_states.push_back(pass.zeros(sentences, width));
  }
  const auto encoder_trace = encoder_.forward(pass, source, encoded, nullptr);
  for (size_t l = 0; l < states.size(); ++l)
    reorder_rows(source.layout, target.layout, encoded[l], states[l], width);
  const Rows<T> values(pass.take(source_rows, width), source_rows, width);
  gather_rows(encoder_trace.layers.back().rows, source.layout.step_row, values.data, width);
  const int64_t features = key_.outputs();
  const Rows<T> keys(pass.take(source_rows, features), source_rows, features);
  key_.forward(pass, values, keys);
  zone.next(zones::kDecoderForward);
  const Memory<T> memory{keys.data, values.data, own.begins.data(), own.lengths.data(),
                         source.layout.steps()};
  const Rows<T> gates(pass.take(target_rows, 3 * width), target_rows, 3 * width);
  const T* embedded = token_.forward(pass, target.tokens, gates);
  const auto trace =
      decoder_.forward(pass, target.layout, target.numbers, memory, gates.data, states);

  zone.next(zones::kOutput);
  const Rows<T> d_top(pass.take(target_rows, width), target_rows, width);
  const double loss =
      projected_cross_entropy(pass, output_, Rows<T>(trace.layers.back().rows, target_rows, width),
                              own.batch.targets.data(), d_top);

  zone.next(zones::kDecoderBackward);
  const Rows<T> d_keys(pass.zeros(source_rows, features), source_rows, features);
  const Rows<T> d_values(pass.zeros(source_rows, width), source_rows, width);
  const T* d_gates = decoder_.backward(pass, target.layout, memory, trace, d_top.data, d_states,
                                       d_keys.data, d_values.data);
  token_.backward(pass, target.tokens, embedded, Rows<const T>(d_gates, target_rows, 3 * width));
  zone.next(zones::kEncoderBackward);
  key_.backward_weight(pass, d_keys, values);
  key_.backward_input(pass, d_keys, d_values, true);
  T* d_rows = pass.take(source_rows, width);
  gather_rows(d_values.data, source.layout.packed_row, d_rows, width);
  for (size_t l = 0; l < states.size(); ++l)
    reorder_rows(target.layout, source.layout, d_states[l], encoded[l], width);
  encoder_.backward(pass, source, encoder_trace, d_rows, encoded, nullptr);
  return loss;
}

template class BahdanauTranslator<float>;
template class BahdanauTranslator<double>;

}  // namespace attend::fused
