#include "attend/fused/bahdanau_decoder.h"

#include <algorithm>

#include "attend/fused/recurrent_state.h"

namespace attend::fused {
namespace {

// The encoder's rows, packed; copies of a state share them.
struct Seen {
  std::vector<float> keys, values;
  int64_t longest = 0;
};

}  // namespace

class BahdanauState : public Decoder::State {
 public:
  explicit BahdanauState(std::shared_ptr<const BahdanauDecoder> decoder)
      : decoder(std::move(decoder)), work(this->decoder->memory_) {}
  std::unique_ptr<State> copy() const override { return std::make_unique<BahdanauState>(*this); }
  void reorder(const std::vector<int64_t>& rows) override {
    layers.reorder(rows);
    select_rows(begins, rows, 1);
    select_rows(lengths, rows, 1);
  }
  int64_t size() const override { return layers.count; }
  void step(const int32_t* tokens, const DecoderOutput& out) override {
    decoder->step(*this, tokens, out);
  }
  Memory<float> memory() const {
    return {seen->keys.data(), seen->values.data(), begins.data(), lengths.data(), seen->longest};
  }

  std::shared_ptr<const BahdanauDecoder> decoder;
  WorkspacePool::Loan work;
  RecurrentState layers;
  std::shared_ptr<const Seen> seen;
  std::vector<int64_t> begins, lengths;  // (B): of each row's sentence, in what is seen
};

BahdanauDecoder::BahdanauDecoder(const BahdanauTranslatorPlaces& places, std::vector<int32_t> never,
                                 const float* parameters)
    : parameters_(parameters),
      encoder_(places.source_embedding, places.encoder, panels_),
      key_(places.key, Linear<float>::kNone, panels_),
      token_(places.target_embedding, Linear<float>(places.token, places.token_bias, panels_),
             places.tied),
      decoder_(places.decoder, panels_),
      output_(places.output, places.output_bias, std::move(never), panels_) {
  panels_.pack(parameters);
  const WorkspacePool::Loan work(memory_);
  const Pass<float> pass = reading_pass(parameters_, panels_, work.fresh());
  encoder_.tabulate(pass);
  token_.tabulate(pass);
}

std::unique_ptr<Decoder::State> BahdanauDecoder::start(const data::PackedIds& source,
                                                       std::vector<SeenWeights>*) const {
  auto state = std::make_unique<BahdanauState>(
      std::static_pointer_cast<const BahdanauDecoder>(shared_from_this()));
  const Pass<float> pass = reading_pass(parameters_, panels_, state->work.fresh());
  TokenRows rows;
  const auto trace = encode(pass, encoder_, source, rows, state->layers);
  const int64_t count = rows.layout.rows(), width = encoder_.width();
  auto seen = std::make_shared<Seen>();
  seen->longest = rows.layout.steps();
  seen->values.reserve(static_cast<size_t>(count * width));
  for (const int64_t row : rows.layout.step_row) {
    const float* x = trace.layers.back().rows + row * width;
    seen->values.insert(seen->values.end(), x, x + width);
  }
  seen->keys.resize(static_cast<size_t>(count * key_.outputs()));
  key_.forward(pass, Rows<const float>(seen->values.data(), count, width),
               Rows<float>(seen->keys.data(), count, key_.outputs()));
  state->seen = std::move(seen);
  state->begins.assign(source.offsets.begin(), source.offsets.end() - 1);
  for (int64_t b = 0; b < source.size(); ++b) state->lengths.push_back(source.length(b));
  return state;
}

void BahdanauDecoder::step(BahdanauState& s, const int32_t* tokens,
                           const DecoderOutput& out) const {
  const Pass<float> pass = reading_pass(parameters_, panels_, s.work.fresh());
  const std::vector<float*>& layers = s.layers.pointers();
  const int64_t count = s.size(), sources = s.seen->longest;
  const Rows<float> gates(pass.take(count, 3 * decoder_.width()), count, 3 * decoder_.width());
  token_.step(pass, tokens, gates);
  const float* weights = decoder_.step(pass, count, s.memory(), gates.data, layers);
  output_(pass, Rows<float>(layers.back(), count, decoder_.width()), out);
  if (out.weights == nullptr) return;
  SeenWeights cross{SeenWeights::Kind::kCross, 0, 1, 1, sources, {}};
  cross.weights.resize(static_cast<size_t>(count * sources));
  for (int64_t b = 0; b < count; ++b)
    std::copy_n(weights + b * sources, s.lengths[static_cast<size_t>(b)],
                cross.weights.data() + b * sources);
  out.weights->push_back(std::move(cross));
}

}  // namespace attend::fused
