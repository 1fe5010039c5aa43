#include "attend/models/check_config.h"

#include <initializer_list>
#include <string>

#include "attend/core/errors.h"

namespace attend {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw InvalidArgument("[model] " + message);
}

struct Key {
  const char* name;
  bool changed;  // from its default
};

// A choice that a kind makes no use of is refused, not passed over in silence. Sizes are let be:
// presets carry them along.
void refuse_changed(const char* kind, std::initializer_list<Key> keys) {
  for (const Key& key : keys)
    if (key.changed)
      refuse("kind = \"" + std::string(kind) + "\" makes no use of " + key.name +
             ": leave it at its default, or choose another kind");
}

void check_recurrent(const char* kind, const ModelConfig& config) {
  if (config.tied_embeddings && config.embedding != config.hidden)
    refuse("tied_embeddings needs embedding = hidden, found " + std::to_string(config.embedding) +
           " and " + std::to_string(config.hidden));
  const ModelConfig usual;
  refuse_changed(kind, {{"window", config.window != usual.window},
                        {"key_value_heads", config.key_value_heads != usual.key_value_heads},
                        {"linear_attention", config.linear_attention},
                        {"positions", config.positions != usual.positions},
                        {"embedding_init", config.embedding_init != usual.embedding_init},
                        {"activation", config.activation != usual.activation},
                        {"norm", config.norm != usual.norm},
                        {"norm_first", config.norm_first},
                        {"attention_bias", config.attention_bias}});
}

void check_gru(const ModelConfig& config) {
  check_recurrent("gru", config);
  refuse_changed("gru", {{"score", config.score.has_value()},
                         {"normaliser", config.normaliser != Normaliser::kSoftmax}});
}

void check_linear_attention(const ModelConfig& config) {
  const auto without = [](const char* key, const char* why) {
    refuse(std::string("linear_attention = true goes without ") + key + ": " + why);
  };
  constexpr auto kNoScores = "it never compares single queries and keys";
  if (config.score) without("score", kNoScores);
  if (config.normaliser != Normaliser::kSoftmax) without("normaliser", kNoScores);
  if (config.window > 0) without("window", "its sums hold all keys");
  const PositionKind p = config.positions;
  if (p == PositionKind::kAlibi || p == PositionKind::kRelative || p == PositionKind::kT5)
    without("positions = alibi, relative or t5", "they act in scores, which it does not have");
  if (p == PositionKind::kRotary)
    without("positions = rotary", "turned features would not hang on the distance");
}

void check_transformer(const ModelConfig& config) {
  refuse_changed("transformer", {{"cell", config.cell != CellKind::kGru},
                                 {"bidirectional", config.bidirectional}});
  const auto divides = [](int64_t a, const char* key, int64_t b, const char* whole) {
    if (a < 1 || b % a != 0)
      refuse(std::string("expected ") + key + " that divide " + whole + ", found " +
             std::to_string(a) + " " + key + " and " + whole + " " + std::to_string(b));
  };
  divides(config.heads, "heads", config.hidden, "hidden");
  if (config.key_value_heads != 0)
    divides(config.key_value_heads, "key_value_heads", config.heads, "heads");
  if (config.linear_attention) check_linear_attention(config);
  const bool dot =
      !config.score || config.score == ScoreKind::kDot || config.score == ScoreKind::kScaledDot;
  if (config.positions == PositionKind::kRelative && !dot)
    refuse("positions = relative needs score = dot or scaled-dot: its vectors are added to keys");
  if (config.positions == PositionKind::kRotary && config.hidden < 2 * config.heads)
    refuse("positions = rotary needs at least 2 features a head, found heads " +
           std::to_string(config.heads) + " and hidden " + std::to_string(config.hidden));
  if (config.positions == PositionKind::kLearned && config.longest < 1)
    refuse("positions = learned needs the longest sentence, from steps of [data]");
}

}  // namespace

void check_config(const ModelConfig& config) {
  switch (config.kind) {
    case ModelKind::kGru:
      return check_gru(config);
    case ModelKind::kBahdanau:
      return check_recurrent("bahdanau", config);
    case ModelKind::kTransformer:
      return check_transformer(config);
  }
  throw InternalError("[model] an unknown kind");
}

}  // namespace attend
