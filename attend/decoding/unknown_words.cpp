#include "attend/decoding/unknown_words.h"

#include <algorithm>

#include "attend/core/errors.h"

namespace attend::decoding {
namespace {

constexpr std::string_view kBlank = "\u2581";

bool has_word_tokens(const text::Pipeline& pipeline) {
  return pipeline.tokeniser() == text::TokeniserKind::kSpace ||
         pipeline.tokeniser() == text::TokeniserKind::kWord;
}

// A sentence on its way through its hypothesis.
struct Track {
  size_t hypothesis = 0;
  std::vector<SourceWord> words;
  size_t end = 0;  // behind its last unknown id
};

const AttentionWeights& last_cross(const std::vector<AttentionWeights>& attention) {
  const AttentionWeights* last = nullptr;
  for (const AttentionWeights& layer : attention)
    if (layer.kind == AttentionKind::kCross && (last == nullptr || layer.layer > last->layer))
      last = &layer;
  if (last == nullptr) throw InternalError("[unknown words] a model without cross-attention");
  return *last;
}

// Of the words, which row `row` of weights (B, H, 1, S) looks at most. A sum over the heads has its
// greatest where the mean has it.
const SourceWord& most_attended(const at::Tensor& weights, int64_t row,
                                const std::vector<SourceWord>& words) {
  const float* base = weights.const_data_ptr<float>() + row * weights.stride(0);
  const SourceWord* best = &words.front();
  double most = -1.0;
  for (const SourceWord& word : words) {
    double sum = 0.0;
    for (int64_t h = 0; h < weights.size(1); ++h)
      for (int64_t k = word.first; k < word.first + word.tokens; ++k)
        sum += static_cast<double>(base[h * weights.stride(1) + k * weights.stride(3)]);
    if (sum <= most) continue;
    most = sum;
    best = &word;
  }
  return *best;
}

// The sentences that hold unknown ids, those that end last first.
std::vector<Track> tracks_of(const SourceSentences& source,
                             const std::vector<Hypothesis>& hypotheses, int32_t unknown) {
  std::vector<Track> tracks;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const std::vector<int32_t>& ids = hypotheses[i].ids;
    const auto last = std::find(ids.rbegin(), ids.rend(), unknown);
    if (last == ids.rend()) continue;
    Track track{i,
                source_words(source.pipeline, source.tokens[i],
                             source.ids.length(static_cast<int64_t>(i)) - 1),
                static_cast<size_t>(ids.rend() - last)};
    if (!track.words.empty()) tracks.push_back(std::move(track));
  }
  std::stable_sort(tracks.begin(), tracks.end(),
                   [](const Track& a, const Track& b) { return a.end > b.end; });
  return tracks;
}

}  // namespace

std::vector<SourceWord> source_words(const text::Pipeline& pipeline,
                                     const std::vector<std::string>& tokens, int64_t count) {
  std::vector<SourceWord> words;
  const bool each = has_word_tokens(pipeline);
  for (int64_t i = 0; i < count; ++i) {
    std::string_view token = tokens[static_cast<size_t>(i)];
    const bool blank = !each && token.starts_with(kBlank);
    if (blank) token.remove_prefix(kBlank.size());
    if (each || blank || words.empty()) words.push_back({i, 0, ""});
    ++words.back().tokens;
    words.back().text += pipeline.surface(token);
  }
  std::erase_if(words, [](const SourceWord& word) { return word.text.empty(); });
  return words;
}

bool can_replace_unknown(const Seq2Seq& model, const text::Pipeline& target) {
  return model.config().kind != ModelKind::kGru && has_word_tokens(target);
}

bool has_unknown(const std::vector<Hypothesis>& hypotheses, int32_t unknown) {
  return std::any_of(hypotheses.begin(), hypotheses.end(), [unknown](const Hypothesis& h) {
    return std::find(h.ids.begin(), h.ids.end(), unknown) != h.ids.end();
  });
}

std::vector<std::vector<UnknownWord>> unknown_words(const Seq2Seq& model,
                                                    const SourceSentences& source,
                                                    const std::vector<Hypothesis>& hypotheses,
                                                    const text::SpecialIds& marks) {
  std::vector<std::vector<UnknownWord>> found(hypotheses.size());
  std::vector<Track> live = tracks_of(source, hypotheses, marks.unknown);
  if (live.empty()) return found;
  data::PackedIds sources;
  for (const Track& track : live)
    sources.append(source.ids.sentence(static_cast<int64_t>(track.hypothesis)));
  const std::unique_ptr<DecoderState> state = model.start(sources);
  std::vector<int32_t> inputs(live.size(), marks.begin);
  for (size_t step = 0; !live.empty(); ++step) {
    const std::vector<AttentionWeights> attention = model.step_attention(*state, inputs);
    const AttentionWeights& cross = last_cross(attention);
    inputs.clear();
    for (size_t row = 0; row < live.size(); ++row) {
      const Track& track = live[row];
      const int32_t id = hypotheses[track.hypothesis].ids[step];
      if (id == marks.unknown)
        found[track.hypothesis].push_back(
            {static_cast<int64_t>(step),
             most_attended(cross.weights, static_cast<int64_t>(row), track.words).text});
      if (step + 1 < track.end) inputs.push_back(id);
    }
    if (inputs.size() == live.size()) continue;
    live.resize(inputs.size());  // those that ended are the last ones
    std::vector<int64_t> rows(live.size());
    for (size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<int64_t>(row);
    if (!live.empty()) state->reorder(rows);
  }
  return found;
}

}  // namespace attend::decoding
