#include "attend/models/seq2seq.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "attend/models/check_ids.h"
#include "attend/models/state.h"

namespace attend {
namespace {

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

class Seq2Seq::KernelState : public DecoderState {
 public:
  explicit KernelState(std::unique_ptr<fused::Decoder::State> state) : state_(std::move(state)) {}
  KernelState(const KernelState& other) : DecoderState(other), state_(other.state_->copy()) {}
  KernelState& operator=(const KernelState&) = delete;
  std::unique_ptr<DecoderState> copy() const override {
    return std::make_unique<KernelState>(*this);
  }
  void reorder(const std::vector<int64_t>& rows) override {
    check_rows(rows, size());
    state_->reorder(rows);
  }
  int64_t size() const override { return state_->size(); }

 private:
  fused::Decoder::State* of_kernels() override { return state_.get(); }

  std::unique_ptr<fused::Decoder::State> state_;
};

std::unique_ptr<DecoderState> Seq2Seq::own(std::unique_ptr<DecoderState> state) const {
  state->model_ = this;
  state->version_ = parameters_version(store_);
  return state;
}

void Seq2Seq::check_state(const DecoderState& state, const std::vector<int32_t>& tokens) const {
  if (state.model_ != this) throw InvalidArgument("[model] expected a state of its own start()");
  if (static_cast<int64_t>(tokens.size()) != state.size())
    throw InvalidArgument("[model] expected " + std::to_string(state.size()) +
                          " tokens, one a sentence, found " + std::to_string(tokens.size()));
  if (state.version_ != parameters_version(store_))
    throw InvalidArgument(
        "[model] the weights were written to after start(), and what this state holds is of the "
        "earlier ones: call start() again");
}

std::unique_ptr<DecoderState> Seq2Seq::start(
    const data::PackedIds& source, std::vector<AttentionWeights>* encoder_attention) const {
  const auto decoder = kernels_.current(store_, [this] { return decoder_recipe(); });
  if (decoder == nullptr) return start_composed(source, encoder_attention);
  check_ids(source.ids, config_.source_vocabulary, "source");
  std::vector<fused::SeenWeights> seen;
  auto state = decoder->start(source, encoder_attention == nullptr ? nullptr : &seen);
  if (encoder_attention != nullptr) append(seen, source.size(), *encoder_attention);
  return own(std::make_unique<KernelState>(std::move(state)));
}

DecoderStep Seq2Seq::step(DecoderState& state, const std::vector<int32_t>& tokens,
                          bool want_attention) const {
  check_state(state, tokens);
  fused::Decoder::State* kernels = state.of_kernels();
  if (kernels == nullptr) return step_composed(state, tokens, want_attention);
  check_ids(tokens, config_.target_vocabulary, "target");
  DecoderStep result{at::empty({state.size(), config_.target_vocabulary}, at::kFloat), {}};
  std::vector<fused::SeenWeights> seen;
  fused::DecoderOutput out;
  out.log_probabilities = result.log_probabilities.mutable_data_ptr<float>();
  if (want_attention) out.weights = &seen;
  kernels->step(tokens.data(), out);
  append(seen, state.size(), result.attention);
  return result;
}

void Seq2Seq::step(DecoderState& state, const std::vector<int32_t>& tokens,
                   LikeliestTokens& next) const {
  fused::Decoder::State* kernels = state.of_kernels();
  if (kernels == nullptr) return likeliest(step(state, tokens, false).log_probabilities, next);
  check_state(state, tokens);
  check_ids(tokens, config_.target_vocabulary, "target");
  next.tokens.resize(tokens.size());
  next.log_probabilities.resize(tokens.size());
  fused::DecoderOutput out;
  out.likeliest = next.tokens.data();
  out.likeliest_log_probability = next.log_probabilities.data();
  kernels->step(tokens.data(), out);
}

std::vector<AttentionWeights> Seq2Seq::step_attention(DecoderState& state,
                                                      const std::vector<int32_t>& tokens) const {
  fused::Decoder::State* kernels = state.of_kernels();
  if (kernels == nullptr) return step(state, tokens, true).attention;
  check_state(state, tokens);
  check_ids(tokens, config_.target_vocabulary, "target");
  std::vector<fused::SeenWeights> seen;
  fused::DecoderOutput out;
  out.weights = &seen;
  kernels->step(tokens.data(), out);
  std::vector<AttentionWeights> attention;
  append(seen, state.size(), attention);
  return attention;
}

std::unique_ptr<DecoderState> Seq2Seq::start_composed(
    const data::PackedIds& source, std::vector<AttentionWeights>* encoder_attention) const {
  return own(begin_composed(source, encoder_attention));
}

std::unique_ptr<DecoderState> Seq2Seq::begin_composed(const data::PackedIds&,
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
