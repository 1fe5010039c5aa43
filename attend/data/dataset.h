// A corpus as ids, ready to be cut in batches: packed, with end marks, cut to a number of steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/batch.h"
#include "attend/data/corpus.h"
#include "attend/data/line_tally.h"
#include "attend/text/pipeline.h"

namespace attend::data {

/// One sentence in ids, marks included.
struct Encoded {
  std::vector<int32_t> ids;
  bool cut = false;
  int64_t whole = 0;    ///< ids before it was cut, the end mark included
  int64_t unknown = 0;  ///< tokens that the vocabulary lacks, among those that are left
};

/// The tokens and the end mark. When that is more than `steps` >= 1 ids: the first steps - 1 tokens
/// and the end mark, since an encoder should always see where a sentence stops. A blank line is the
/// end mark alone. `tokens`, unless null, receives the tokens, without what was cut.
Encoded encode_source(const text::Pipeline& pipeline, std::string_view line, int64_t steps,
                      std::vector<std::string>* tokens = nullptr);

/// The same for a target, but when cut it is the first `steps` tokens without an end mark: a model
/// must not learn to stop in the middle of a sentence.
Encoded encode_target(const text::Pipeline& pipeline, std::string_view line, int64_t steps);

/// From this share of unknown tokens on, a side is said to have lost its words.
inline constexpr double kManyUnknown = 0.5;

struct EncodeReport {
  LineTally cut_source;  ///< sentences longer than `steps`, by line
  LineTally cut_target;
  int64_t longest_target = 0;  ///< in ids, the end mark included, before any was cut
  LineTally unknown_source;    ///< sentences with unknown tokens, by line
  LineTally unknown_target;
  int64_t unknown_source_tokens = 0;
  int64_t unknown_target_tokens = 0;
  int64_t source_tokens = 0;  ///< of all sentences, without end marks and what was cut
  int64_t target_tokens = 0;

  /// Sentences for the log, "" when there is nothing to say.
  std::string text() const;
};

struct Dataset {
  PackedIds source;
  PackedIds target;
  std::vector<int64_t> lines;  ///< of each pair in its file
  EncodeReport report;

  int64_t size() const { return target.size(); }
  std::span<const int32_t> source_ids(int64_t i) const;
  std::span<const int32_t> target_ids(int64_t i) const;
};

/// `steps` is the longest sentence in ids, the end mark included. Throws InvalidArgument when steps
/// < 1.
Dataset encode_pairs(const std::vector<Pair>& pairs, const text::Pipeline& source,
                     const text::Pipeline& target, int64_t steps);

/// The lowest mean cross-entropy per target token, in nats, that any model of p(target | source)
/// can reach on these pairs: where one source has several targets, the next token cannot be known.
/// It is the sum over (source, target prefix) of n(source, prefix) times the entropy of the
/// empirical distribution of the next token, divided by the number of target tokens.
double loss_floor(const Dataset& dataset);

}  // namespace attend::data
