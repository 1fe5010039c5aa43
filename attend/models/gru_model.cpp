#include "attend/models/gru_model.h"

#include <ATen/ops/cat.h>
#include <c10/core/GradMode.h>

#include "attend/core/errors.h"
#include "attend/fused/gru_decoder.h"
#include "attend/models/parameter_places.h"
#include "attend/models/state.h"

namespace attend {
namespace {

class GruState : public DecoderState {
 public:
  GruState(at::Tensor code, Recurrent::States states)
      : code(std::move(code)), states(std::move(states)) {}
  std::unique_ptr<DecoderState> copy() const override { return std::make_unique<GruState>(*this); }
  void reorder(const std::vector<int64_t>& rows) override {
    const at::Tensor index = state_rows(rows, size(), code.device());
    code = code.index_select(0, index);
    states = select_rows(states, index);
  }
  int64_t size() const override { return code.size(0); }

  at::Tensor code;  // (B, H)
  Recurrent::States states;
};

}  // namespace

GruModel::GruModel(const ModelConfig& config, const ParameterStore::Options& options)
    : RecurrentModel(config) {
  const ParameterScope decoder = store_.scope("decoder");
  add_embedding(decoder);
  layers_ =
      Recurrent(decoder.scope(cell_name(config.cell)), {.cell = config.cell,
                                                        .inputs = config.embedding + config.hidden,
                                                        .hidden = config.hidden,
                                                        .layers = config.layers});
  add_output(decoder);
  store_.allocate(options);
}

at::Tensor GruModel::decode(const data::Batch& batch, const Steps& steps,
                            const ops::DropoutState& dropout) const {
  EncoderOutputs encoded = encoder_.forward(batch.source, batch.source_rows, dropout);
  if (!steps.layout.sorted) encoded.final = select_rows(encoded.final, steps.layout.order_tensor);
  std::vector<int64_t> sentence;  // of each time-major row, in the layout's order
  for (const int64_t live : steps.layout.live)
    for (int64_t i = 0; i < live; ++i) sentence.push_back(i);
  const at::Tensor codes =
      encoded.final.back().hidden.index_select(0, ops::index_tensor(sentence, device()));  // (N, H)
  return layers_
      .forward(at::cat({steps.embedded, codes}, 1), steps.layout, encoded.final, dropout,
               steps.row_numbers)
      .rows;
}

std::unique_ptr<DecoderState> GruModel::begin_composed(const data::PackedIds& source,
                                                       std::vector<AttentionWeights>*) const {
  c10::NoGradGuard no_grad;
  EncoderOutputs encoded = encoder_.forward(source, {}, {});
  return std::make_unique<GruState>(encoded.final.back().hidden, encoded.final);
}

DecoderStep GruModel::step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                                    bool) const {
  c10::NoGradGuard no_grad;
  auto& s = state_as<GruState>(state, tokens, "gru");
  const at::Tensor embedded = embedding_(ops::id_tensor(tokens, s.code.device()));
  const at::Tensor top = layers_.step(at::cat({embedded, s.code}, 1), s.states);
  return {output_.log_probabilities(top), {}};
}

fused::GruTranslatorPlaces GruModel::places() const {
  const ParameterPlaces at(store_);
  fused::GruTranslatorPlaces places;
  places.source_embedding = at.weight("encoder.embedding.weight");
  places.target_embedding = at.weight("decoder.embedding.weight");
  places.encoder = at.gru_layers("encoder.gru", config_.layers);
  places.decoder = at.gru_layers("decoder.gru", config_.layers);
  places.tied = config_.tied_embeddings;
  places.output = at.weight(places.tied ? "decoder.embedding.weight" : "decoder.output.weight");
  places.output_bias = at.offset("decoder.output.bias");
  places.begin_id = config_.begin_id;
  return places;
}

FusedStep GruModel::fused_step() const {
  if (std::string declined = recurrent_declined(config_); !declined.empty())
    return {nullptr, std::move(declined)};
  return make_fused_step(store_, config_, [&]<class T>(T) {
    return std::make_unique<fused::GruTranslator<T>>(places());
  });
}

DecoderRecipe GruModel::decoder_recipe() const {
  if (std::string declined = recurrent_declined(config_); !declined.empty())
    return {nullptr, std::move(declined)};
  return make_decoder_recipe<fused::GruDecoder>(store_, config_, places());
}

}  // namespace attend
