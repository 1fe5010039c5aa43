#include "attend/fused/gru_translator.h"

#include <algorithm>

#include "attend/fused/encoder_states.h"
#include "attend/fused/zones.h"

namespace attend::fused {

WeightPlace code_columns(const GruTranslatorPlaces& places) {
  const int64_t embedded = places.target_embedding.inputs;
  const WeightPlace& input = places.decoder.front().input;
  return input.columns(embedded, input.inputs - embedded);
}

template <class T>
GruTranslator<T>::GruTranslator(const GruTranslatorPlaces& places)
    : encoder_(places.source_embedding, places.encoder, this->panels_),
      decoder_(places.target_embedding, places.decoder, this->panels_, places.tied),
      code_(code_columns(places), Linear<T>::kNone, this->panels_),
      output_(places.output, places.output_bias, this->panels_),
      begin_id_(places.begin_id) {}

template <class T>
double GruTranslator<T>::run(int64_t shard, const data::Batch& batch,
                             const core::DropoutState& dropout, T* gradients) {
  core::Profile::Zone zone(this->profile_of(shard), zones::kBatches);
  const Pass<T> pass = this->begin(shard, dropout, gradients);
  RecurrentBatch& read = this->shard(shard).batch;
  read.read(batch, encoder_.vocabulary(), decoder_.vocabulary(), begin_id_);
  const TokenRows& target = read.target;
  const int64_t sentences = batch.size(), width = decoder_.width(), rows = target.layout.rows();

  zone.next(zones::kEncoderForward);
  const EncoderStates<T> encoded(pass, encoder_, read);
  zone.next(zones::kDecoderForward);
  const Rows<T> code(pass.take(sentences, width), sentences, width);
  std::copy_n(encoded.states().back(), sentences * width, code.data);
  const Rows<T> code_gates(pass.take(sentences, 3 * width), sentences, 3 * width);
  code_.forward(pass, code, code_gates);
  const auto trace = decoder_.forward(pass, target, encoded.states(), code_gates.data);

  zone.next(zones::kOutput);
  const Rows<T> d_top(pass.learns ? pass.take(rows, width) : nullptr, rows, width);
  const double loss = projected_cross_entropy(
      pass, output_, Rows<T>(trace.layers.back().rows, rows, width), read.targets.data(), d_top);
  if (!pass.learns) return loss;

  zone.next(zones::kDecoderBackward);
  decoder_.backward(pass, target, trace, d_top.data, encoded.d_states(), code_gates.data);
  code_.backward_weight(pass, code_gates, code);
  code_.backward_input(pass, code_gates, Rows<T>(encoded.d_states().back(), sentences, width),
                       true);
  zone.next(zones::kEncoderBackward);
  encoded.backward(nullptr);
  return loss;
}

template class GruTranslator<float>;
template class GruTranslator<double>;

}  // namespace attend::fused
