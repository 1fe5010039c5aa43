// Greedy decoding: the likeliest token at each step, with cached state. Sentences that reach the
// end mark leave the batch.
#pragma once

#include <vector>

#include "attend/data/batch.h"
#include "attend/decoding/hypothesis.h"

namespace attend::decoding {

struct DecodeOptions {
  int64_t max_steps = 0;  ///< target tokens, the end mark included; at least 1
  int32_t begin_id = 2;
  int32_t end_id = 3;
  bool attention = false;  ///< record the weights; changes no number
};

/// One hypothesis a sentence of `source`, each with its end mark. The first of equal likeliest
/// tokens wins. Throws InvalidArgument when max_steps < 1.
std::vector<Hypothesis> greedy(const Seq2Seq& model, const data::PackedIds& source,
                               const DecodeOptions& options);

/// Makes the model write `target` (end marks included, as in training), and scores it. max_steps is
/// not used. A target without an end mark (a cut one) is scored as far as it goes. Throws
/// InvalidArgument when the sides differ in number, for an empty target, for tokens after an end
/// mark, and for ids out of range.
std::vector<Hypothesis> force(const Seq2Seq& model, const data::PackedIds& source,
                              const data::PackedIds& target, const DecodeOptions& options);

}  // namespace attend::decoding
