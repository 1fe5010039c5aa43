#include "attend/fused/gru_decoder.h"

#include "attend/fused/recurrent_state.h"

namespace attend::fused {

class GruState : public Decoder::State {
 public:
  explicit GruState(std::shared_ptr<const GruDecoder> decoder)
      : decoder(std::move(decoder)), work(this->decoder->memory_) {}
  std::unique_ptr<State> copy() const override { return std::make_unique<GruState>(*this); }
  void reorder(const std::vector<int64_t>& rows) override {
    layers.reorder(rows);
    select_rows(code_gates, rows, 3 * layers.width);
  }
  int64_t size() const override { return layers.count; }
  void step(const int32_t* tokens, const DecoderOutput& out) override {
    decoder->step(*this, tokens, out);
  }

  std::shared_ptr<const GruDecoder> decoder;
  WorkspacePool::Loan work;
  RecurrentState layers;
  std::vector<float> code_gates;  // (B, 3H)
};

GruDecoder::GruDecoder(const GruTranslatorPlaces& places, std::vector<int32_t> never,
                       const float* parameters)
    : parameters_(parameters),
      encoder_(places.source_embedding, places.encoder, panels_),
      decoder_(places.target_embedding, places.decoder, panels_),
      code_(code_columns(places), Linear<float>::kNone, panels_),
      output_(places.output, places.output_bias, std::move(never), panels_) {
  panels_.pack(parameters);
  const WorkspacePool::Loan work(memory_);
  const Pass<float> pass = reading_pass(parameters_, panels_, work.fresh());
  encoder_.tabulate(pass);
  decoder_.tabulate(pass);
}

std::unique_ptr<Decoder::State> GruDecoder::start(const data::PackedIds& source,
                                                  std::vector<SeenWeights>*) const {
  auto state =
      std::make_unique<GruState>(std::static_pointer_cast<const GruDecoder>(shared_from_this()));
  const Pass<float> pass = reading_pass(parameters_, panels_, state->work.fresh());
  TokenRows rows;
  encode(pass, encoder_, source, rows, state->layers);
  const int64_t count = source.size(), width = decoder_.width();
  state->code_gates.resize(static_cast<size_t>(count * 3 * width));
  code_.forward(pass, Rows<float>(state->layers.layers.back().data(), count, width),
                Rows<float>(state->code_gates.data(), count, 3 * width));
  return state;
}

void GruDecoder::step(GruState& s, const int32_t* tokens, const DecoderOutput& out) const {
  const Pass<float> pass = reading_pass(parameters_, panels_, s.work.fresh());
  const std::vector<float*>& layers = s.layers.pointers();
  decoder_.step(pass, tokens, s.size(), layers, s.code_gates.data());
  output_(pass, Rows<float>(layers.back(), s.size(), decoder_.width()), out);
}

}  // namespace attend::fused
