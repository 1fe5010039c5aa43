// The words of a translation that the model wrote as unknown, and the source words that stand in
// for them: those that the model attended to most (Jean, Cho, Memisevic, Bengio 2015, "On Using
// Very Large Target Vocabulary for Neural Machine Translation").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/data/batch.h"
#include "attend/decoding/hypothesis.h"
#include "attend/text/pipeline.h"

namespace attend::decoding {

/// What was translated.
struct SourceSentences {
  const text::Pipeline& pipeline;
  const data::PackedIds& ids;  ///< each with its end mark
  /// Of each sentence at least as many as it has ids before the end mark.
  const std::vector<std::vector<std::string>>& tokens;
};

/// A word of the source as a reader sees it: one token, or the pieces or characters between blanks.
struct SourceWord {
  int64_t first = 0;  ///< token
  int64_t tokens = 0;
  std::string text;
};

/// The words that the first `count` tokens spell.
std::vector<SourceWord> source_words(const text::Pipeline& pipeline,
                                     const std::vector<std::string>& tokens, int64_t count);

struct UnknownWord {
  int64_t token = 0;  ///< which id of the hypothesis
  std::string text;   ///< the source word in its place
};

/// Whether the target's tokens are words and the model attends to the source.
bool can_replace_unknown(const Seq2Seq& model, const text::Pipeline& target);

/// Whether any of them holds the unknown id.
bool has_unknown(const std::vector<Hypothesis>& hypotheses, int32_t unknown);

/// Of each hypothesis its unknown ids in order. A source word's weight is that of its tokens in the
/// last layer's cross-attention, the mean over heads; the first of equal words wins, and the end
/// mark is no word. Nothing for a sentence without unknown ids or without source words: others are
/// stepped through once more, up to their last unknown id, for the weights. `marks` are the
/// target's.
std::vector<std::vector<UnknownWord>> unknown_words(const Seq2Seq& model,
                                                    const SourceSentences& source,
                                                    const std::vector<Hypothesis>& hypotheses,
                                                    const text::SpecialIds& marks);

}  // namespace attend::decoding
