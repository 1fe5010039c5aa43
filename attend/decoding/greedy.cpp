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

std::vector<int64_t> lengths(const data::PackedIds& packed) {
  std::vector<int64_t> result;
  for (int64_t b = 0; b < packed.size(); ++b) result.push_back(packed.length(b));
  return result;
}

// The next token of each live row (a sentence's number), given the log-probabilities.
using Choose = std::function<std::vector<int32_t>(
    const at::Tensor& log_probabilities, const std::vector<int64_t>& sentences, int64_t step)>;
// Whether a sentence ends after `step`, whatever was written.
using Last = std::function<bool(int64_t sentence, int64_t step)>;

std::vector<Hypothesis> decode(const Seq2Seq& model, const data::PackedIds& source,
                               const DecodeOptions& options, const Choose& choose,
                               const Last& last) {
  std::vector<Hypothesis> hypotheses(static_cast<size_t>(source.size()));
  if (hypotheses.empty()) return hypotheses;
  AttentionRecorder recorder(lengths(source));
  std::vector<AttentionWeights> encoder_attention;
  const std::unique_ptr<DecoderState> state =
      model.start(source, options.attention ? &encoder_attention : nullptr);
  recorder.encoder(encoder_attention);

  std::vector<int64_t> live(hypotheses.size());  // sentence of each row
  std::iota(live.begin(), live.end(), int64_t{0});
  std::vector<int32_t> inputs(live.size(), options.begin_id);
  for (int64_t step = 0; !live.empty(); ++step) {
    const DecoderStep result = model.step(*state, inputs, options.attention);
    recorder.step(result.attention, live);
    const at::Tensor scores = result.log_probabilities.to(at::kCPU, at::kFloat).contiguous();
    const std::vector<int32_t> chosen = choose(scores, live, step);

    std::vector<int64_t> kept_rows, kept;
    std::vector<int32_t> next;
    const int64_t vocabulary = scores.size(1);
    for (size_t row = 0; row < live.size(); ++row) {
      Hypothesis& hypothesis = hypotheses[static_cast<size_t>(live[row])];
      const int32_t id = chosen[row];
      if (id < 0 || id >= vocabulary)
        throw InvalidArgument("[force] expected ids in [0, " + std::to_string(vocabulary) +
                              "), found " + std::to_string(id));
      hypothesis.log_probabilities.push_back(
          scores.const_data_ptr<float>()[static_cast<int64_t>(row) * vocabulary + id]);
      hypothesis.finished = id == options.end_id;
      if (!hypothesis.finished) hypothesis.ids.push_back(id);
      if (hypothesis.finished || last(live[row], step)) continue;
      kept_rows.push_back(static_cast<int64_t>(row));
      kept.push_back(live[row]);
      next.push_back(id);
    }
    if (kept.size() < live.size() && !kept.empty()) state->reorder(kept_rows);
    live = std::move(kept);
    inputs = std::move(next);
  }
  if (options.attention)
    for (size_t b = 0; b < hypotheses.size(); ++b)
      hypotheses[b].attention = recorder.take(static_cast<int64_t>(b));
  return hypotheses;
}

}  // namespace

std::vector<Hypothesis> greedy(const Seq2Seq& model, const data::PackedIds& source,
                               const DecodeOptions& options) {
  if (options.max_steps < 1)
    throw InvalidArgument("[greedy] expected max_steps of at least 1, found " +
                          std::to_string(options.max_steps));
  const Choose likeliest = [](const at::Tensor& scores, const std::vector<int64_t>& live, int64_t) {
    const int64_t vocabulary = scores.size(1);
    const float* p = scores.const_data_ptr<float>();
    std::vector<int32_t> chosen;
    for (size_t row = 0; row < live.size(); ++row, p += vocabulary)
      chosen.push_back(static_cast<int32_t>(std::max_element(p, p + vocabulary) - p));
    return chosen;
  };
  return decode(model, source, options, likeliest,
                [&](int64_t, int64_t step) { return step + 1 >= options.max_steps; });
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
  const Choose given = [&](const at::Tensor&, const std::vector<int64_t>& live, int64_t step) {
    std::vector<int32_t> chosen;
    for (const int64_t b : live)
      chosen.push_back(
          target.ids[static_cast<size_t>(target.offsets[static_cast<size_t>(b)] + step)]);
    return chosen;
  };
  return decode(model, source, options, given,
                [&](int64_t b, int64_t step) { return step + 1 >= target.length(b); });
}

}  // namespace attend::decoding
