#include "attend/models/seq2seq.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "attend/models/check_ids.h"
#include "attend/models/state.h"

namespace attend {
namespace {

class KernelState : public DecoderState {
 public:
  KernelState(const Seq2Seq& model, std::unique_ptr<fused::Decoder::State> state)
      : model(&model), state(std::move(state)) {}
  std::unique_ptr<DecoderState> copy() const override {
    return std::make_unique<KernelState>(*model, state->copy());
  }
  void reorder(const std::vector<int64_t>& rows) override {
    check_rows(rows, size());
    state->reorder(rows);
  }
  int64_t size() const override { return state->size(); }

  const Seq2Seq* model;
  std::unique_ptr<fused::Decoder::State> state;
};

AttentionKind kind_of(fused::SeenWeights::Kind kind) {
  switch (kind) {
    case fused::SeenWeights::Kind::kCross:
      return AttentionKind::kCross;
    case fused::SeenWeights::Kind::kEncoderSelf:
      return AttentionKind::kEncoderSelf;
    case fused::SeenWeights::Kind::kDecoderSelf:
      return AttentionKind::kDecoderSelf;
  }
  throw InternalError("[model] an unknown kind of attention");
}

void append(const std::vector<fused::SeenWeights>& seen, int64_t sentences,
            std::vector<AttentionWeights>& all) {
  for (const fused::SeenWeights& layer : seen) {
    const at::Tensor weights =
        at::empty({sentences, layer.heads, layer.queries, layer.keys}, at::kFloat);
    std::copy(layer.weights.begin(), layer.weights.end(), weights.mutable_data_ptr<float>());
    all.push_back({kind_of(layer.kind), layer.layer, weights});
  }
}

[[noreturn]] void no_decoder() { throw InternalError("[model] a model without a decoder"); }

}  // namespace

std::unique_ptr<DecoderState> Seq2Seq::start(
    const data::PackedIds& source, std::vector<AttentionWeights>* encoder_attention) const {
  const auto decoder = kernels_.current(store_, [this] { return decoder_recipe(); });
  if (decoder == nullptr) return start_composed(source, encoder_attention);
  check_ids(source.ids, config_.source_vocabulary, "source");
  std::vector<fused::SeenWeights> seen;
  auto state = decoder->start(source, encoder_attention == nullptr ? nullptr : &seen);
  if (encoder_attention != nullptr) append(seen, source.size(), *encoder_attention);
  return std::make_unique<KernelState>(*this, std::move(state));
}

void Seq2Seq::step_by_kernels(DecoderState& state, const std::vector<int32_t>& tokens,
                              const fused::DecoderOutput& out) const {
  auto& own = state_as<KernelState>(state, tokens, "model");
  if (own.model != this) throw InvalidArgument("[model] expected a state of its own start()");
  check_ids(tokens, config_.target_vocabulary, "target");
  const auto decoder = kernels_.current(store_, [this] { return decoder_recipe(); });
  if (decoder == nullptr) throw InternalError("[model] a decoder that is gone");
  decoder->step(*own.state, tokens.data(), out);
}

DecoderStep Seq2Seq::step(DecoderState& state, const std::vector<int32_t>& tokens,
                          bool want_attention) const {
  if (dynamic_cast<KernelState*>(&state) == nullptr)
    return step_composed(state, tokens, want_attention);
  DecoderStep result{at::empty({state.size(), config_.target_vocabulary}, at::kFloat), {}};
  std::vector<fused::SeenWeights> seen;
  fused::DecoderOutput out;
  out.log_probabilities = result.log_probabilities.mutable_data_ptr<float>();
  if (want_attention) out.weights = &seen;
  step_by_kernels(state, tokens, out);
  append(seen, state.size(), result.attention);
  return result;
}

void Seq2Seq::step(DecoderState& state, const std::vector<int32_t>& tokens,
                   LikeliestTokens& next) const {
  next.tokens.resize(tokens.size());
  next.log_probabilities.resize(tokens.size());
  if (dynamic_cast<KernelState*>(&state) != nullptr) {
    fused::DecoderOutput out;
    out.likeliest = next.tokens.data();
    out.likeliest_log_probability = next.log_probabilities.data();
    return step_by_kernels(state, tokens, out);
  }
  likeliest(step(state, tokens, false).log_probabilities, next);
}

std::unique_ptr<DecoderState> Seq2Seq::start_composed(const data::PackedIds&,
                                                      std::vector<AttentionWeights>*) const {
  no_decoder();
}

DecoderStep Seq2Seq::step_composed(DecoderState&, const std::vector<int32_t>&, bool) const {
  no_decoder();
}

void likeliest(const at::Tensor& log_probabilities, LikeliestTokens& next) {
  const at::Tensor scores = log_probabilities.to(at::kCPU, at::kFloat).contiguous();
  const int64_t vocabulary = scores.size(1);
  next.tokens.clear();
  next.log_probabilities.clear();
  const float* p = scores.const_data_ptr<float>();
  for (int64_t row = 0; row < scores.size(0); ++row, p += vocabulary) {
    const float* greatest = std::max_element(p, p + vocabulary);
    next.tokens.push_back(static_cast<int32_t>(greatest - p));
    next.log_probabilities.push_back(*greatest);
  }
}

}  // namespace attend
