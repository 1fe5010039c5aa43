#include "attend/fused/transformer_decoder.h"

#include <algorithm>

#include "attend/fused/look_cache.h"

namespace attend::fused {
namespace {

constexpr int64_t kFirstPositions = 64;

}  // namespace

// The source in the decoder's eyes; copies of a state share it.
struct SourceMemory {
  struct Layer {
    std::vector<float> keys;  // in blocks, sentence after sentence
    std::vector<float> rows;  // (N, 2D): keys and values
  };
  std::vector<Layer> layers;
  std::vector<int64_t> key_begins;  // (B): in Layer::keys
  std::vector<int64_t> offsets;     // (B + 1): in Layer::rows
  int64_t longest = 0, features = 0;

  int64_t length(int64_t b) const {
    return offsets[static_cast<size_t>(b) + 1] - offsets[static_cast<size_t>(b)];
  }
  kernels::LookMemory of(size_t layer, int64_t b) const {
    const Layer& own = layers[layer];
    return {own.keys.data() + key_begins[static_cast<size_t>(b)],
            own.rows.data() + offsets[static_cast<size_t>(b)] * 2 * features + features,
            2 * features, length(b)};
  }
};

class TransformerState : public Decoder::State {
 public:
  TransformerState(std::shared_ptr<const TransformerDecoder> decoder, int64_t sentences)
      : decoder(std::move(decoder)),
        work(this->decoder->memory_),
        written(static_cast<int64_t>(this->decoder->decoder_.size()), sentences,
                this->decoder->width()) {}
  std::unique_ptr<State> copy() const override { return std::make_unique<TransformerState>(*this); }
  void reorder(const std::vector<int64_t>& rows) override {
    select_rows(sentences, rows, 1);
    written.reorder(rows);
  }
  int64_t size() const override { return static_cast<int64_t>(sentences.size()); }
  void step(const int32_t* tokens, const DecoderOutput& out) override {
    decoder->step(*this, tokens, out);
  }
  // Rows 0 .. count - 1 of the positions at least; null when there are none.
  const float* position_rows(int64_t count) {
    if (table == nullptr || static_cast<int64_t>(table->size()) < count * decoder->width())
      table = decoder->positions_->rows(count);
    return table == nullptr ? nullptr : table->data();
  }

  std::shared_ptr<const TransformerDecoder> decoder;
  WorkspacePool::Loan work;
  std::shared_ptr<const std::vector<float>> table;  // of positions
  std::shared_ptr<const SourceMemory> source;
  std::vector<int64_t> sentences;  // (B): which of the source each row is
  LookCache written;

  // A step's, kept for their memory alone.
  SentenceRows rows;
  std::vector<kernels::LookMemory> looks;
};

namespace {

// (n, heads, stride) -> (n, heads, 1, keys), zeros beyond a row's own.
SeenWeights seen_weights(SeenWeights::Kind kind, size_t layer, int64_t heads, const float* weights,
                         int64_t keys, const std::vector<kernels::LookMemory>& memory) {
  SeenWeights seen{kind, static_cast<int64_t>(layer), heads, 1, keys, {}};
  seen.weights.resize(memory.size() * static_cast<size_t>(heads * keys));
  float* to = seen.weights.data();
  for (const kernels::LookMemory& row : memory)
    for (int64_t h = 0; h < heads; ++h, to += keys, weights += kernels::look_keys(keys))
      std::copy_n(weights, row.count, to);
  return seen;
}

}  // namespace

std::shared_ptr<const std::vector<float>> PositionTable::rows(int64_t count) {
  if (!make_) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (count > count_) {
    count_ = std::max({count, 2 * count_, kFirstPositions});
    table_ = std::make_shared<const std::vector<float>>(make_(count_));
  }
  return table_;
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderPlaces& places,
                                       std::vector<int32_t> never, const float* parameters)
    : parameters_(parameters),
      source_(places.model.source),
      target_(places.model.target),
      output_(places.model.output.weight, places.model.output.bias, std::move(never), panels_),
      width_(places.model.output.weight.inputs),
      positions_(places.positions) {
  for (const EncoderLayerPlaces& layer : places.model.encoder)
    encoder_.push_back({LookAttention(layer.self, panels_),
                        FeedForward<float>(layer.feed_forward, panels_),
                        Residual<float>(layer.norm1), Residual<float>(layer.norm2)});
  for (const DecoderLayerPlaces& layer : places.model.decoder)
    decoder_.push_back({LookAttention(layer.self, panels_), LookAttention(layer.cross, panels_),
                        FeedForward<float>(layer.feed_forward, panels_),
                        Residual<float>(layer.norm1), Residual<float>(layer.norm2),
                        Residual<float>(layer.norm3)});
  if (places.model.encoder_norm) encoder_norm_.emplace(*places.model.encoder_norm);
  if (places.model.decoder_norm) decoder_norm_.emplace(*places.model.decoder_norm);
  panels_.pack(parameters);
}

namespace {

// One layer's way through its sub-layers, each in its residual; the rows are in place.
class Way {
 public:
  Way(const Pass<float>& pass, float* x, int64_t n, int64_t width)
      : pass_(pass), x_(x), n_(n), width_(width) {}

  // f(in, out), both (n, D).
  template <class Sublayer>
  void through(const Residual<float>& norm, const Sublayer& f) const {
    const Workspace::Scope scope(pass_.work);
    Residual<float>::Trace trace;
    const float* y = norm.forward(pass_, n_, {}, x_, trace, [&](const float* in, float* out) {
      f(Rows<const float>(in, n_, width_), Rows<float>(out, n_, width_));
    });
    std::copy_n(y, n_ * width_, x_);
  }
  void feed(const Residual<float>& norm, const FeedForward<float>& network) const {
    through(norm, [&](Rows<const float> in, Rows<float> out) { network.forward(pass_, in, out); });
  }
  void normalise(const std::optional<Norm<float>>& norm) const {
    if (norm) norm->forward(pass_, n_, x_, nullptr, nullptr, x_);
  }

 private:
  const Pass<float>& pass_;
  float* x_;
  int64_t n_, width_;
};

}  // namespace

float* TransformerDecoder::encode(const Pass<float>& pass, const data::PackedIds& source,
                                  std::vector<SeenWeights>* weights) const {
  SentenceRows rows;
  rows.ids = source.ids;
  rows.lay_out(source.offsets, {}, 1, false);
  const auto positions = positions_->rows(rows.longest);
  const int64_t n = rows.rows(), s = rows.longest;
  float* x = source_.forward(pass, rows, positions == nullptr ? nullptr : positions->data()).rows;
  const Way way(pass, x, n, width());
  for (size_t l = 0; l < encoder_.size(); ++l) {
    const EncoderLayer& layer = encoder_[l];
    float* seen = nullptr;
    if (weights != nullptr) {
      const int64_t heads = layer.attention.heads();
      weights->push_back(
          {SeenWeights::Kind::kEncoderSelf, static_cast<int64_t>(l), heads, s, s, {}});
      weights->back().weights.resize(static_cast<size_t>(source.size() * heads * s * s));
      seen = weights->back().weights.data();
    }
    way.through(layer.norm1, [&](Rows<const float> in, Rows<float> out) {
      layer.attention.among(pass, source.offsets, s, in, out, seen);
    });
    way.feed(layer.norm2, layer.feed_forward);
  }
  way.normalise(encoder_norm_);
  return x;
}

std::unique_ptr<Decoder::State> TransformerDecoder::start(const data::PackedIds& source,
                                                          std::vector<SeenWeights>* weights) const {
  auto state = std::make_unique<TransformerState>(
      std::static_pointer_cast<const TransformerDecoder>(shared_from_this()), source.size());
  const Pass<float> pass = reading_pass(parameters_, panels_, state->work.fresh());
  const int64_t n = source.tokens(), d = width();
  const Rows<float> rows(encode(pass, source, weights), n, d);
  auto memory = std::make_shared<SourceMemory>();
  memory->offsets = source.offsets;
  memory->features = d;
  int64_t keys = 0;
  for (int64_t b = 0; b < source.size(); ++b) {
    memory->key_begins.push_back(keys * d);
    memory->longest = std::max(memory->longest, source.length(b));
    keys += kernels::look_keys(source.length(b));
  }
  for (const DecoderLayer& layer : decoder_) {
    SourceMemory::Layer& own = memory->layers.emplace_back();
    own.rows.resize(static_cast<size_t>(n * 2 * d));
    own.keys.resize(static_cast<size_t>(keys * d));
    layer.cross.project_memory(pass, rows, Rows<float>(own.rows.data(), n, 2 * d));
    for (int64_t b = 0; b < source.size(); ++b)
      for (int64_t t = 0; t < source.length(b); ++t)
        put_key(own.rows.data() + (source.offsets[static_cast<size_t>(b)] + t) * 2 * d, d, t,
                own.keys.data() + memory->key_begins[static_cast<size_t>(b)]);
  }
  state->source = std::move(memory);
  for (int64_t b = 0; b < source.size(); ++b) state->sentences.push_back(b);
  return state;
}

// At what was written, the rows' own tokens included.
void TransformerDecoder::look_back(const Pass<float>& pass, size_t layer, Rows<const float> in,
                                   Rows<float> change, TransformerState& state,
                                   std::vector<SeenWeights>* weights) const {
  const LookAttention& attention = decoder_[layer].self;
  const Rows<float> own = attention.project(pass, in);
  const int64_t d = width(), keys = state.written.tokens();
  for (int64_t i = 0; i < in.count; ++i)
    state.looks[static_cast<size_t>(i)] =
        state.written.put(static_cast<int64_t>(layer), i, own.row(i) + d, own.row(i) + 2 * d);
  const float* seen = attention.look(pass, columns(own, 0, d), state.looks.data(), keys, change);
  if (weights != nullptr)
    weights->push_back(seen_weights(SeenWeights::Kind::kDecoderSelf, layer, attention.heads(), seen,
                                    keys, state.looks));
}

// At the source.
void TransformerDecoder::look_across(const Pass<float>& pass, size_t layer, Rows<const float> in,
                                     Rows<float> change, TransformerState& state,
                                     std::vector<SeenWeights>* weights) const {
  const LookAttention& attention = decoder_[layer].cross;
  const SourceMemory& source = *state.source;
  for (size_t i = 0; i < state.sentences.size(); ++i)
    state.looks[i] = source.of(layer, state.sentences[i]);
  const float* seen =
      attention.look(pass, attention.project(pass, in), state.looks.data(), source.longest, change);
  if (weights != nullptr)
    weights->push_back(seen_weights(SeenWeights::Kind::kCross, layer, attention.heads(), seen,
                                    source.longest, state.looks));
}

void TransformerDecoder::step(TransformerState& s, const int32_t* tokens,
                              const DecoderOutput& out) const {
  const Pass<float> pass = reading_pass(parameters_, panels_, s.work.fresh());
  const int64_t n = s.size(), position = s.written.tokens();
  s.rows.ids.assign(tokens, tokens + n);
  s.rows.positions.assign(static_cast<size_t>(n), position);
  s.looks.resize(static_cast<size_t>(n));
  float* x = target_.forward(pass, s.rows, s.position_rows(position + 1)).rows;
  s.written.grow();
  const Way way(pass, x, n, width());
  for (size_t l = 0; l < decoder_.size(); ++l) {
    way.through(decoder_[l].norm1, [&](Rows<const float> in, Rows<float> change) {
      look_back(pass, l, in, change, s, out.weights);
    });
    way.through(decoder_[l].norm2, [&](Rows<const float> in, Rows<float> change) {
      look_across(pass, l, in, change, s, out.weights);
    });
    way.feed(decoder_[l].norm3, decoder_[l].feed_forward);
  }
  way.normalise(decoder_norm_);
  output_(pass, Rows<const float>(x, n, width()), out);
}

}  // namespace attend::fused
