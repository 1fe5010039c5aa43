#include "attend/models/transformer_step.h"

#include <string>

#include "attend/fused/transformer.h"
#include "attend/fused/transformer_decoder.h"
#include "attend/layers/sinusoidal.h"
#include "attend/models/parameter_places.h"
#include "attend/models/transformer_layers.h"

namespace attend {
namespace {

std::string transformer_declined(const ModelConfig& config) {
  const PositionKind p = config.positions;
  if (p != PositionKind::kSinusoidal && p != PositionKind::kLearned && p != PositionKind::kNone)
    return "kernels know positions that are added: positions = sinusoidal, learned or none";
  if (config.score.value_or(ScoreKind::kScaledDot) != ScoreKind::kScaledDot)
    return "kernels know one score: score = scaled-dot";
  if (config.normaliser != Normaliser::kSoftmax) return "kernels know normaliser = softmax";
  if (config.linear_attention) return "kernels do not know linear_attention";
  if (config.window > 0) return "kernels know no window";
  if (config.key_value_heads != 0 && config.key_value_heads != config.heads)
    return "kernels know as many key_value_heads as heads";
  if (config.activation != Activation::kRelu) return "kernels know activation = relu";
  if (config.norm != NormKind::kLayer) return "kernels know norm = layer";
  return "";
}

// The places of one model, by the names that its layers give them.
class Places {
 public:
  Places(const ModelConfig& config, const ParameterStore& store) : config_(config), at_(store) {}

  fused::TransformerPlaces all() const {
    fused::TransformerPlaces places;
    places.source = entrance("encoder");
    places.target = entrance("decoder");
    places.target.tied = config_.tied_embeddings;
    for (int64_t l = 0; l < config_.layers; ++l) {
      const std::string number = std::to_string(l);
      places.encoder.push_back(encoder_layer("encoder.layers." + number));
      places.decoder.push_back(decoder_layer("decoder.layers." + number));
    }
    if (config_.norm_first) {
      places.encoder_norm = norm("encoder.norm");
      places.decoder_norm = norm("decoder.norm");
    }
    places.output = {places.target.embedding, at_.offset("decoder.output.bias")};
    if (!config_.tied_embeddings) places.output.weight = at_.weight("decoder.output.weight");
    places.begin_id = config_.begin_id;
    return places;
  }

 private:
  fused::EntrancePlaces entrance(const std::string& side) const {
    fused::EntrancePlaces places;
    places.embedding = at_.weight(side + ".embedding.weight");
    if (config_.positions == PositionKind::kLearned)
      places.learned = at_.weight(side + ".positions.weight");
    places.site = dropout_site(side, "embedded");
    return places;
  }
  fused::NormPlace norm(const std::string& scope) const {
    return {at_.offset(scope + ".weight"), at_.offset(scope + ".bias"), config_.hidden};
  }
  fused::ResidualPlace residual(const std::string& scope) const {
    return {norm(scope), config_.norm_first, dropout_site(scope, "residual")};
  }
  fused::FeedForwardPlaces feed_forward(const std::string& layer) const {
    return {at_.linear(layer + ".feed_forward.inner"), at_.linear(layer + ".feed_forward.outer")};
  }
  fused::AttentionPlaces attention(const std::string& scope, AttentionPlace place) const {
    const auto map = [&](const char* name) {
      return at_.linear(scope + "." + name, config_.attention_bias);
    };
    return {map("query"),
            map("key"),
            map("value"),
            map("output"),
            config_.heads,
            place == AttentionPlace::kDecoder,
            place == AttentionPlace::kCross,
            dropout_site(scope, "weights")};
  }
  fused::EncoderLayerPlaces encoder_layer(const std::string& layer) const {
    return {attention(layer + ".self_attention", AttentionPlace::kEncoder), feed_forward(layer),
            residual(layer + ".norm1"), residual(layer + ".norm2")};
  }
  fused::DecoderLayerPlaces decoder_layer(const std::string& layer) const {
    return {attention(layer + ".self_attention", AttentionPlace::kDecoder),
            attention(layer + ".cross_attention", AttentionPlace::kCross),
            feed_forward(layer),
            residual(layer + ".norm1"),
            residual(layer + ".norm2"),
            residual(layer + ".norm3")};
  }

  const ModelConfig& config_;
  ParameterPlaces at_;
};

// Rows 0 .. count - 1 of the table that the model adds, if it is none of its parameters.
template <class T>
fused::PositionRows<T> positions(const ModelConfig& config) {
  if (config.positions != PositionKind::kSinusoidal) return {};
  return [width = config.hidden](int64_t count) {
    const at::Tensor rows =
        sinusoidal_positions(0, count, width, {}, sizeof(T) == 4 ? at::kFloat : at::kDouble);
    return std::vector<T>(rows.const_data_ptr<T>(), rows.const_data_ptr<T>() + rows.numel());
  };
}

}  // namespace

FusedStep transformer_step(const ModelConfig& config, const ParameterStore& store) {
  if (std::string declined = transformer_declined(config); !declined.empty())
    return {nullptr, std::move(declined)};
  return make_fused_step(store, config, [&]<class T>(T) {
    return std::make_unique<fused::Transformer<T>>(Places(config, store).all(),
                                                   positions<T>(config));
  });
}

DecoderRecipe transformer_decoder(const ModelConfig& config, const ParameterStore& store) {
  if (std::string declined = transformer_declined(config); !declined.empty())
    return {nullptr, std::move(declined)};
  return make_decoder_recipe<fused::TransformerDecoder>(
      store, config,
      fused::TransformerDecoderPlaces{
          Places(config, store).all(),
          std::make_shared<fused::PositionTable>(positions<float>(config))});
}

}  // namespace attend
