#include "attend/models/bahdanau_model.h"

#include <c10/core/GradMode.h>

#include "attend/fused/bahdanau_decoder.h"
#include "attend/models/parameter_places.h"
#include "attend/models/state.h"

namespace attend {
namespace {

class BahdanauState : public DecoderState {
 public:
  explicit BahdanauState(AttentionDecoder::State state) : state(std::move(state)) {}
  std::unique_ptr<DecoderState> copy() const override {
    return std::make_unique<BahdanauState>(*this);
  }
  void reorder(const std::vector<int64_t>& rows) override {
    state = state.select(state_rows(rows, size(), state.memory.values.device()));
  }
  int64_t size() const override { return state.size(); }

  AttentionDecoder::State state;
};

}  // namespace

BahdanauModel::BahdanauModel(const ModelConfig& config, const ParameterStore::Options& options)
    : RecurrentModel(config) {
  const ParameterScope decoder = store_.scope("decoder");
  add_embedding(decoder);
  decoder_ = make_attention_decoder(decoder, {.cell = config.cell,
                                              .inputs = config.embedding,
                                              .hidden = config.hidden,
                                              .layers = config.layers,
                                              .memory = encoder_.width(),
                                              .score = config.score.value_or(ScoreKind::kAdditive),
                                              .normaliser = config.normaliser});
  add_output(decoder);
  store_.allocate(options);
}

AttentionDecoder::State BahdanauModel::encode(const data::PackedIds& source,
                                              const std::vector<int64_t>& first_rows,
                                              const ops::DropoutState& dropout) const {
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < source.size(); ++b) lengths.push_back(source.length(b));
  return decoder_->init_state(encoder_.forward(source, first_rows, dropout), lengths);
}

at::Tensor BahdanauModel::decode(const data::Batch& batch, const Steps& steps,
                                 const ops::DropoutState& dropout) const {
  AttentionDecoder::State state = encode(batch.source, batch.source_rows, dropout);
  if (!steps.layout.sorted) state = state.select(steps.layout.order_tensor);
  return decoder_->forward(steps.embedded, steps.layout, state, dropout, steps.row_numbers);
}

std::unique_ptr<DecoderState> BahdanauModel::begin_composed(const data::PackedIds& source,
                                                            std::vector<AttentionWeights>*) const {
  c10::NoGradGuard no_grad;
  return std::make_unique<BahdanauState>(encode(source, {}, {}));
}

DecoderStep BahdanauModel::step_composed(DecoderState& state, const std::vector<int32_t>& tokens,
                                         bool want_attention) const {
  c10::NoGradGuard no_grad;
  auto& s = state_as<BahdanauState>(state, tokens, "bahdanau");
  const at::Tensor embedded = embedding_(ops::id_tensor(tokens, device()));
  AttentionDecoder::Step next = decoder_->step(embedded, s.state);
  s.state = std::move(next.state);
  DecoderStep result{output_.log_probabilities(next.output), {}};
  if (want_attention)
    result.attention.push_back(
        {AttentionKind::kCross, 0,
         next.weights.to(at::kCPU, at::kFloat).unsqueeze(1).unsqueeze(1)});  // (B, 1, 1, S)
  return result;
}

std::string BahdanauModel::options_declined() const {
  if (std::string declined = recurrent_declined(config_); !declined.empty()) return declined;
  if (config_.score.value_or(ScoreKind::kAdditive) != ScoreKind::kAdditive)
    return "kernels know one score here: model.score = additive";
  if (config_.normaliser != Normaliser::kSoftmax)
    return "kernels know one normaliser: model.normaliser = softmax";
  return "";
}

fused::BahdanauTranslatorPlaces BahdanauModel::places() const {
  const ParameterPlaces at(store_);
  fused::BahdanauTranslatorPlaces places;
  places.source_embedding = at.weight("encoder.embedding.weight");
  places.encoder = at.gru_layers("encoder.gru", config_.layers);
  places.key = at.weight("decoder.attention.key.weight");
  places.target_embedding = at.weight("decoder.embedding.weight");
  places.decoder.query = at.weight("decoder.attention.query.weight");
  places.decoder.score = at.offset("decoder.attention.score.weight");
  places.decoder.weight_site = dropout_site("decoder.attention", "weights");
  places.decoder.layers = at.gru_layers("decoder.gru", config_.layers);
  const fused::GruPlaces& first = places.decoder.layers.front();  // reads [context, embedding]
  places.decoder.context = first.input.columns(0, config_.hidden);
  places.token = first.input.columns(config_.hidden, config_.embedding);
  places.token_bias = first.input_bias;
  places.tied = config_.tied_embeddings;
  places.output = at.weight(places.tied ? "decoder.embedding.weight" : "decoder.output.weight");
  places.output_bias = at.offset("decoder.output.bias");
  places.begin_id = config_.begin_id;
  return places;
}

FusedStep BahdanauModel::fused_step() const {
  if (std::string declined = options_declined(); !declined.empty())
    return {nullptr, std::move(declined)};
  return make_fused_step(store_, config_, [&]<class T>(T) {
    return std::make_unique<fused::BahdanauTranslator<T>>(places());
  });
}

DecoderRecipe BahdanauModel::decoder_recipe() const {
  if (std::string declined = options_declined(); !declined.empty())
    return {nullptr, std::move(declined)};
  return make_decoder_recipe<fused::BahdanauDecoder>(store_, config_, places());
}

}  // namespace attend
