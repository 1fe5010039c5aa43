// One sentence's translation in ids, and what was attended to on the way.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "attend/models/seq2seq.h"

namespace attend::decoding {

/// The weights of one attention layer for one sentence: all heads, all queries.
struct SentenceAttention {
  AttentionKind kind;
  int64_t layer = 0;
  int64_t heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  std::vector<float> weights;  ///< [head][query][key]
};

struct Hypothesis {
  std::vector<int32_t> ids;              ///< without the end mark
  std::vector<float> log_probabilities;  ///< of each id, and of the end mark when it was reached
  bool finished = false;                 ///< the end mark was reached
  std::vector<SentenceAttention> attention;  ///< empty unless asked for

  /// Sum of the log-probabilities, nats.
  double score() const {
    return std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0);
  }
};

}  // namespace attend::decoding
