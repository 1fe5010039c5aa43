#include "attend/decoding/greedy.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>

#include "attend/core/errors.h"
#include "attend/decoding/attention_recorder.h"

namespace attend::decoding {
namespace {

// Tokens that a hypothesis has room for from the start.
constexpr size_t kUsualLength = 16;

std::vector<int64_t> lengths(const data::PackedIds& packed) {
  std::vector<int64_t> result;
  for (int64_t b = 0; b < packed.size(); ++b) result.push_back(packed.length(b));
  return result;
}

// Steps the rows that are live (sentences' numbers): fills the next token of each.
using Advance =
    std::function<void(DecoderState& state, const std::vector<int32_t>& inputs,
                       const std::vector<int64_t>& live, int64_t step, LikeliestTokens& next)>;
// Whether a sentence ends after `step`, whatever was written.
using Last = std::function<bool(int64_t sentence, int64_t step)>;

std::vector<Hypothesis> decode(DecoderState& state, int64_t sentences, const DecodeOptions& options,
                               const Advance& advance, const Last& last) {
  std::vector<Hypothesis> hypotheses(static_cast<size_t>(sentences));
  for (Hypothesis& hypothesis : hypotheses) {
    hypothesis.ids.reserve(kUsualLength);
    hypothesis.log_probabilities.reserve(kUsualLength);
  }
  std::vector<int64_t> live(hypotheses.size());  // sentence of each row
  std::iota(live.begin(), live.end(), int64_t{0});
  std::vector<int32_t> inputs(live.size(), options.begin_id);
  std::vector<int64_t> kept_rows, kept;
  LikeliestTokens next;
  for (int64_t step = 0; !live.empty(); ++step) {
    advance(state, inputs, live, step, next);
    kept_rows.clear();
    kept.clear();
    inputs.clear();
    for (size_t row = 0; row < live.size(); ++row) {
      Hypothesis& hypothesis = hypotheses[static_cast<size_t>(live[row])];
      const int32_t id = next.tokens[row];
      hypothesis.log_probabilities.push_back(next.log_probabilities[row]);
      hypothesis.finished = id == options.end_id;
      if (!hypothesis.finished) hypothesis.ids.push_back(id);
      if (hypothesis.finished || last(live[row], step)) continue;
      kept_rows.push_back(static_cast<int64_t>(row));
      kept.push_back(live[row]);
      inputs.push_back(id);
    }
    if (kept.size() < live.size() && !kept.empty()) state.reorder(kept_rows);
    std::swap(live, kept);
  }
  return hypotheses;
}

// The log-probability of the token that is chosen for each row.
void score(const at::Tensor& log_probabilities, LikeliestTokens& next) {
  const at::Tensor scores = log_probabilities.to(at::kCPU, at::kFloat).contiguous();
  const int64_t vocabulary = scores.size(1);
  const float* p = scores.const_data_ptr<float>();
  next.log_probabilities.clear();
  for (const int32_t id : next.tokens) {
    if (id < 0 || id >= vocabulary)
      throw InvalidArgument("[force] expected ids in [0, " + std::to_string(vocabulary) +
                            "), found " + std::to_string(id));
    next.log_probabilities.push_back(p[id]);
    p += vocabulary;
  }
}

// Starts and steps a model, and records its attention on the way if that is asked for.
class Recorded {
 public:
  Recorded(const Seq2Seq& model, const data::PackedIds& source, bool attention)
      : model_(model),
        attention_(attention),
        recorder_(attention ? lengths(source) : std::vector<int64_t>()) {
    std::vector<AttentionWeights> encoder;
    state_ = model.start(source, attention ? &encoder : nullptr);
    recorder_.encoder(encoder);
  }

  DecoderState& state() { return *state_; }

  at::Tensor log_probabilities(const std::vector<int32_t>& inputs,
                               const std::vector<int64_t>& live) {
    const DecoderStep result = model_.step(*state_, inputs, attention_);
    recorder_.step(result.attention, live);
    return result.log_probabilities;
  }

  std::vector<Hypothesis> with_attention(std::vector<Hypothesis> hypotheses) {
    if (attention_)
      for (size_t b = 0; b < hypotheses.size(); ++b)
        hypotheses[b].attention = recorder_.take(static_cast<int64_t>(b));
    return hypotheses;
  }

 private:
  const Seq2Seq& model_;
  bool attention_;
  AttentionRecorder recorder_;
  std::unique_ptr<DecoderState> state_;
};

}  // namespace

std::vector<Hypothesis> greedy(const Seq2Seq& model, const data::PackedIds& source,
                               const DecodeOptions& options) {
  if (options.max_steps < 1)
    throw InvalidArgument("[greedy] expected max_steps of at least 1, found " +
                          std::to_string(options.max_steps));
  if (source.size() == 0) return {};
  Recorded run(model, source, options.attention);
  const Advance advance = [&](DecoderState& state, const std::vector<int32_t>& inputs,
                              const std::vector<int64_t>& live, int64_t, LikeliestTokens& next) {
    if (options.attention)
      likeliest(run.log_probabilities(inputs, live), next);
    else
      model.step(state, inputs, next);
  };
  return run.with_attention(
      decode(run.state(), source.size(), options, advance,
             [&](int64_t, int64_t step) { return step + 1 >= options.max_steps; }));
}

std::vector<Hypothesis> force(const Seq2Seq& model, const data::PackedIds& source,
                              const data::PackedIds& target, const DecodeOptions& options) {
  if (source.size() != target.size())
    throw InvalidArgument("[force] expected as many targets as sources, found " +
                          std::to_string(target.size()) + " and " + std::to_string(source.size()));
  for (int64_t b = 0; b < target.size(); ++b) {
    if (target.length(b) == 0)
      throw InvalidArgument("[force] expected at least the end mark in target " +
                            std::to_string(b));
    const auto first = target.ids.begin() + target.offsets[static_cast<size_t>(b)];
    const auto last = first + target.length(b) - 1;
    if (std::find(first, last, options.end_id) != last)
      throw InvalidArgument("[force] expected no token after the end mark in target " +
                            std::to_string(b));
  }
  if (source.size() == 0) return {};
  Recorded run(model, source, options.attention);
  const Advance advance = [&](DecoderState&, const std::vector<int32_t>& inputs,
                              const std::vector<int64_t>& live, int64_t step,
                              LikeliestTokens& next) {
    const at::Tensor scores = run.log_probabilities(inputs, live);
    next.tokens.clear();
    for (const int64_t b : live)
      next.tokens.push_back(
          target.ids[static_cast<size_t>(target.offsets[static_cast<size_t>(b)] + step)]);
    score(scores, next);
  };
  return run.with_attention(
      decode(run.state(), source.size(), options, advance,
             [&](int64_t b, int64_t step) { return step + 1 >= target.length(b); }));
}

}  // namespace attend::decoding
