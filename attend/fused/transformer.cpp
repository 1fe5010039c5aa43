#include "attend/fused/transformer.h"

#include <algorithm>

#include "attend/fused/zones.h"

namespace attend::fused {
namespace {

// x (n, D) through one layer. Where no backward pass follows, what the layer took is free again.
template <class T, class Layer>
T* through(const Pass<T>& pass, int64_t n, int64_t width, T* x, const Layer& layer) {
  if (pass.learns) return layer(x);
  const Workspace::Scope scope(pass.work);
  std::copy_n(layer(x), n * width, x);
  return x;
}

}  // namespace

template <class T>
Transformer<T>::Transformer(const TransformerPlaces& places, PositionRows<T> positions)
    : source_(places.source),
      target_(places.target),
      output_(places.output.weight, places.output.bias, this->panels_),
      positions_(std::move(positions)),
      heads_(places.encoder.front().self.heads),
      begin_id_(places.begin_id) {
  for (const EncoderLayerPlaces& layer : places.encoder)
    encoder_.emplace_back(layer, this->panels_);
  for (const DecoderLayerPlaces& layer : places.decoder)
    decoder_.emplace_back(layer, this->panels_);
  if (places.encoder_norm) encoder_norm_ = Norm<T>(*places.encoder_norm);
  if (places.decoder_norm) decoder_norm_ = Norm<T>(*places.decoder_norm);
}

template <class T>
void Transformer<T>::read(const data::Batch& batch, bool dropout,
                          typename Shard::Batch& rows) const {
  rows.source.ids = batch.source.ids;
  rows.target.ids = batch.target.ids;  // the decoder reads the begin mark, then all but the last
  for (size_t b = 0; b + 1 < batch.target.offsets.size(); ++b) {
    const auto first = batch.target.offsets[b], end = batch.target.offsets[b + 1];
    if (first == end) continue;
    const auto ids = rows.target.ids.begin();
    std::copy_backward(ids + first, ids + end - 1, ids + end);
    ids[first] = begin_id_;
  }
  rows.source.lay_out(batch.source.offsets, batch.source_rows, heads_, dropout);
  rows.target.lay_out(batch.target.offsets, batch.target_rows, heads_, dropout);
  rows.encoder_self.read(rows.source.offsets, rows.source.offsets);
  rows.decoder_self.read(rows.target.offsets, rows.target.offsets);
  rows.cross.read(rows.target.offsets, rows.source.offsets);
}

template <class T>
const T* Transformer<T>::position_rows(int64_t count, std::vector<T>& table) const {
  if (!positions_) return nullptr;
  if (static_cast<int64_t>(table.size()) < count * width()) table = positions_(count);
  return table.data();
}

template <class T>
typename DecoderLayer<T>::Sight Transformer<T>::sight(const Shard& shard) const {
  const typename Shard::Batch& rows = shard.rows;
  return {{rows.target, rows.decoder_self},
          rows.cross,
          Rows<const T>(shard.trace.memory, rows.source.rows(), width())};
}

template <class T>
void Transformer<T>::encode(const Pass<T>& pass, Shard& shard) const {
  const SentenceRows& rows = shard.rows.source;
  Trace& trace = shard.trace;
  trace.source = source_.forward(pass, rows, position_rows(rows.longest, shard.positions));
  T* x = trace.source.rows;
  trace.encoder.resize(encoder_.size());
  for (size_t l = 0; l < encoder_.size(); ++l)
    x = through(pass, rows.rows(), width(), x, [&](T* in) {
      return encoder_[l].forward(pass, {rows, shard.rows.encoder_self}, in, trace.encoder[l]);
    });
  if (encoder_norm_) {
    T* y = pass.take(rows.rows(), width());
    trace.encoder_norm = encoder_norm_->forward(pass, rows.rows(), x, nullptr, nullptr, y);
    x = y;
  }
  trace.memory = x;
}

template <class T>
T* Transformer<T>::decode(const Pass<T>& pass, Shard& shard) const {
  const SentenceRows& rows = shard.rows.target;
  Trace& trace = shard.trace;
  trace.target = target_.forward(pass, rows, position_rows(rows.longest, shard.positions));
  T* x = trace.target.rows;
  trace.decoder.resize(decoder_.size());
  for (size_t l = 0; l < decoder_.size(); ++l)
    x = through(pass, rows.rows(), width(), x, [&](T* in) {
      return decoder_[l].forward(pass, sight(shard), in, trace.decoder[l]);
    });
  if (!decoder_norm_) return x;
  T* y = pass.take(rows.rows(), width());
  trace.decoder_norm = decoder_norm_->forward(pass, rows.rows(), x, nullptr, nullptr, y);
  return y;
}

template <class T>
void Transformer<T>::decode_back(const Pass<T>& pass, Shard& shard, T* d, T* d_memory) const {
  const SentenceRows& rows = shard.rows.target;
  const Trace& trace = shard.trace;
  if (decoder_norm_)
    decoder_norm_->backward(pass, rows.rows(), trace.decoder_norm, d, nullptr, d, nullptr, nullptr);
  const Rows<T> of_memory(d_memory, shard.rows.source.rows(), width());
  for (size_t l = decoder_.size(); l-- > 0;)
    decoder_[l].backward(pass, sight(shard), trace.decoder[l], d, of_memory,
                         l + 1 < decoder_.size());
  target_.backward(pass, rows, trace.target, d);
}

template <class T>
void Transformer<T>::encode_back(const Pass<T>& pass, Shard& shard, T* d) const {
  const SentenceRows& rows = shard.rows.source;
  const Trace& trace = shard.trace;
  if (encoder_norm_)
    encoder_norm_->backward(pass, rows.rows(), trace.encoder_norm, d, nullptr, d, nullptr, nullptr);
  for (size_t l = encoder_.size(); l-- > 0;)
    encoder_[l].backward(pass, {rows, shard.rows.encoder_self}, trace.encoder[l], d);
  source_.backward(pass, rows, trace.source, d);
}

template <class T>
double Transformer<T>::run(int64_t shard, const data::Batch& batch,
                           const core::DropoutState& dropout, T* gradients) {
  core::Profile::Zone zone(this->profile_of(shard), zones::kBatches);
  const Pass<T> pass = this->begin(shard, dropout, gradients);
  Shard& own = this->shard(shard);
  read(batch, dropout.active(), own.rows);
  const int64_t sources = own.rows.source.rows(), targets = own.rows.target.rows();

  zone.next(zones::kEncoderForward);
  encode(pass, own);
  zone.next(zones::kDecoderForward);
  const T* hidden = decode(pass, own);
  zone.next(zones::kOutput);
  T* d = pass.learns ? pass.take(targets, width()) : nullptr;
  const double loss =
      projected_cross_entropy(pass, output_, Rows<const T>(hidden, targets, width()),
                              batch.target.ids.data(), Rows<T>(d, targets, width()));
  if (!pass.learns) return loss;
  T* d_memory = pass.take(sources, width());
  zone.next(zones::kDecoderBackward);
  decode_back(pass, own, d, d_memory);
  zone.next(zones::kEncoderBackward);
  encode_back(pass, own, d_memory);
  return loss;
}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace attend::fused
