#include "attend/fused/bahdanau_translator.h"

#include <algorithm>

#include "attend/fused/encoder_states.h"
#include "attend/fused/zones.h"

namespace attend::fused {
namespace {

// y[i] = x[rows[i]].
template <class T>
void gather_rows(const T* x, const std::vector<int64_t>& rows, T* y, int64_t width) {
  for (const int64_t row : rows) y = std::copy_n(x + row * width, width, y);
}

}  // namespace

void BahdanauTranslatorShard::read(const data::Batch& sentences, int64_t source_vocabulary,
                                   int64_t target_vocabulary, int32_t begin_id) {
  batch.read(sentences, source_vocabulary, target_vocabulary, begin_id);
  begins.clear();
  lengths.clear();
  for (const int64_t b : batch.target.layout.order) {
    begins.push_back(sentences.source.offsets[static_cast<size_t>(b)]);
    lengths.push_back(sentences.source.length(b));
  }
}

template <class T>
BahdanauTranslator<T>::BahdanauTranslator(const BahdanauTranslatorPlaces& places)
    : encoder_(places.source_embedding, places.encoder, this->panels_),
      key_(places.key, Linear<T>::kNone, this->panels_),
      token_(places.target_embedding, Linear<T>(places.token, places.token_bias, this->panels_),
             places.tied),
      decoder_(places.decoder, this->panels_),
      output_(places.output, places.output_bias, this->panels_),
      begin_id_(places.begin_id) {}

template <class T>
double BahdanauTranslator<T>::run(int64_t shard, const data::Batch& batch,
                                  const core::DropoutState& dropout, T* gradients) {
  core::Profile::Zone zone(this->profile_of(shard), zones::kBatches);
  const Pass<T> pass = this->begin(shard, dropout, gradients);
  BahdanauTranslatorShard& own = this->shard(shard);
  own.read(batch, encoder_.vocabulary(), token_.vocabulary(), begin_id_);
  const TokenRows &source = own.batch.source, &target = own.batch.target;
  const int64_t width = decoder_.width(), features = key_.outputs();
  const int64_t source_rows = source.layout.rows(), target_rows = target.layout.rows();

  zone.next(zones::kEncoderForward);
  const EncoderStates<T> encoded(pass, encoder_, own.batch);
  const Rows<T> values(pass.take(source_rows, width), source_rows, width);
  gather_rows(encoded.top(), source.layout.step_row, values.data, width);
  const Rows<T> keys(pass.take(source_rows, features), source_rows, features);
  key_.forward(pass, values, keys);
  zone.next(zones::kDecoderForward);
  const Memory<T> memory{keys.data, values.data, own.begins.data(), own.lengths.data(),
                         source.layout.steps()};
  const Rows<T> gates(pass.take(target_rows, 3 * width), target_rows, 3 * width);
  const T* embedded = token_.forward(pass, target.tokens, gates);
  const auto trace =
      decoder_.forward(pass, target.layout, target.numbers, memory, gates.data, encoded.states());

  zone.next(zones::kOutput);
  const Rows<T> d_top(pass.learns ? pass.take(target_rows, width) : nullptr, target_rows, width);
  const double loss =
      projected_cross_entropy(pass, output_, Rows<T>(trace.layers.back().rows, target_rows, width),
                              own.batch.targets.data(), d_top);
  if (!pass.learns) return loss;

  zone.next(zones::kDecoderBackward);
  const Rows<T> d_keys(pass.zeros(source_rows, features), source_rows, features);
  const Rows<T> d_values(pass.zeros(source_rows, width), source_rows, width);
  const T* d_gates = decoder_.backward(pass, target.layout, memory, trace, d_top.data,
                                       encoded.d_states(), d_keys.data, d_values.data);
  token_.backward(pass, target.tokens, embedded, Rows<const T>(d_gates, target_rows, 3 * width));
  zone.next(zones::kEncoderBackward);
  key_.backward_weight(pass, d_keys, values);
  key_.backward_input(pass, d_keys, d_values, true);
  T* d_encoded = pass.take(source_rows, width);
  gather_rows(d_values.data, source.layout.packed_row, d_encoded, width);
  encoded.backward(d_encoded);
  return loss;
}

template class BahdanauTranslator<float>;
template class BahdanauTranslator<double>;

}  // namespace attend::fused
