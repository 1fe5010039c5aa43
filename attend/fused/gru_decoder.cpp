#include "attend/fused/gru_decoder.h"

#include <algorithm>

namespace attend::fused {
namespace {

class GruState : public Decoder::State {
 public:
  std::unique_ptr<State> copy() const override { return std::make_unique<GruState>(*this); }
  void reorder(const std::vector<int64_t>& rows) override {
    for (std::vector<float>& layer : layers) select_rows(layer, rows, width);
    select_rows(code_gates, rows, 3 * width);
    count = static_cast<int64_t>(rows.size());
  }
  int64_t size() const override { return count; }

  int64_t count = 0, width = 0;
  std::vector<std::vector<float>> layers;  // (B, H) each
  std::vector<float> code_gates;           // (B, 3H)
};

}  // namespace

GruDecoder::GruDecoder(const GruTranslatorPlaces& places, std::vector<int32_t> never,
                       const float* parameters)
    : parameters_(parameters),
      encoder_(places.source_embedding, places.encoder, panels_),
      decoder_(places.target_embedding, places.decoder, panels_),
      code_(code_columns(places), Linear<float>::kNone, panels_),
      output_(places.output, places.output_bias, std::move(never), panels_) {
  panels_.pack(parameters);
}

std::unique_ptr<Decoder::State> GruDecoder::start(const data::PackedIds& source,
                                                  std::vector<SeenWeights>*) const {
  const WorkspacePool::Loan work(memory_);
  const Pass<float> pass{parameters_, panels_, nullptr, *work, {}};
  std::vector<int32_t> ids;
  TokenRows rows;
  read_rows(source, encoder_.vocabulary(), ids, rows);
  const int64_t count = source.size(), width = decoder_.width();
  std::vector<float*> encoded;
  for (size_t l = 0; l < encoder_.layers(); ++l) encoded.push_back(pass.zeros(count, width));
  encoder_.forward(pass, rows, encoded, nullptr);

  auto state = std::make_unique<GruState>();
  state->count = count;
  state->width = width;
  for (const float* layer : encoded) {
    std::vector<float>& own = state->layers.emplace_back(static_cast<size_t>(count * width));
    for (int64_t b = 0; b < count; ++b)
      std::copy_n(layer + rows.layout.place[static_cast<size_t>(b)] * width, width,
                  own.data() + b * width);
  }
  state->code_gates.resize(static_cast<size_t>(count * 3 * width));
  code_.forward(pass, Rows<float>(state->layers.back().data(), count, width),
                Rows<float>(state->code_gates.data(), count, 3 * width));
  return state;
}

void GruDecoder::step(State& state, const int32_t* tokens, const DecoderOutput& out) const {
  auto& s = dynamic_cast<GruState&>(state);
  const WorkspacePool::Loan work(memory_);
  const Pass<float> pass{parameters_, panels_, nullptr, *work, {}};
  std::vector<float*> layers;
  for (std::vector<float>& layer : s.layers) layers.push_back(layer.data());
  decoder_.step(pass, tokens, s.count, layers, s.code_gates.data());
  output_(pass, Rows<float>(layers.back(), s.count, s.width), out);
}

}  // namespace attend::fused
