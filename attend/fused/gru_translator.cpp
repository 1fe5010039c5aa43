#include "attend/fused/gru_translator.h"

#include <algorithm>

#include "attend/fused/zones.h"

namespace attend::fused {

WeightPlace code_columns(const GruTranslatorPlaces& places) {
  const int64_t embedded = places.target_embedding.inputs;
  const WeightPlace& input = places.decoder.front().input;
  return input.columns(embedded, input.inputs - embedded);
}

template <class T>
GruTranslator<T>::GruTranslator(const GruTranslatorPlaces& places)
    : encoder_(places.source_embedding, places.encoder, panels_),
      decoder_(places.target_embedding, places.decoder, panels_, places.tied),
      code_(code_columns(places), Linear<T>::kNone, panels_),
      output_(places.output, places.output_bias, panels_),
      begin_id_(places.begin_id) {}

template <class T>
void GruTranslator<T>::prepare(const T* parameters, int64_t shards) {
  parameters_ = parameters;
  panels_.pack(parameters);
  if (shards_.size() < static_cast<size_t>(shards)) shards_.resize(static_cast<size_t>(shards));
}

template <class T>
double GruTranslator<T>::run(int64_t shard, const data::Batch& batch,
                             const core::DropoutState& dropout, T* gradients) {
  Shard& own = shards_[static_cast<size_t>(shard)];
  core::Profile::Zone zone(this->profile_of(shard), zones::kBatches);
  own.work.reset();
  own.batch.read(batch, encoder_.vocabulary(), decoder_.vocabulary(), begin_id_);
  const TokenRows &source = own.batch.source, &target = own.batch.target;
  const Pass<T> pass{parameters_, panels_, gradients, own.work, dropout, this->profile_of(shard)};
  const int64_t sentences = batch.size(), width = decoder_.width(), rows = target.layout.rows();

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
  zone.next(zones::kDecoderForward);
  const Rows<T> code(pass.take(sentences, width), sentences, width);
  std::copy_n(states.back(), sentences * width, code.data);
  const Rows<T> code_gates(pass.take(sentences, 3 * width), sentences, 3 * width);
  code_.forward(pass, code, code_gates);
  const auto decoder_trace = decoder_.forward(pass, target, states, code_gates.data);

  zone.next(zones::kOutput);
  const Rows<T> d_top(pass.take(rows, width), rows, width);
  const double loss =
      projected_cross_entropy(pass, output_, Rows<T>(decoder_trace.layers.back().rows, rows, width),
                              own.batch.targets.data(), d_top);

  zone.next(zones::kDecoderBackward);
  decoder_.backward(pass, target, decoder_trace, d_top.data, d_states, code_gates.data);
  code_.backward_weight(pass, code_gates, code);
  code_.backward_input(pass, code_gates, Rows<T>(d_states.back(), sentences, width), true);
  zone.next(zones::kEncoderBackward);
  for (size_t l = 0; l < states.size(); ++l)
    reorder_rows(target.layout, source.layout, d_states[l], encoded[l], width);
  encoder_.backward(pass, source, encoder_trace, nullptr, encoded, nullptr);
  return loss;
}

template class GruTranslator<float>;
template class GruTranslator<double>;

}  // namespace attend::fused
