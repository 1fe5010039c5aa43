// BLEU of a trained translator by the length of the sentence, on pairs it was not trained on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/metrics/length_buckets.h"

namespace attend {
struct LoadedModel;  // attend/models/model_files.h
}

namespace attend::lessons {

struct LengthScore {
  metrics::LengthBucket bucket;
  double half_width = 0;  ///< of the 95 % interval over resampled sentences (metrics/bootstrap.h)
};

/// Translates the sources and compares, token by token as the model has them, with n-grams up to 2
/// (short sentences have none of 4). `limits` as in metrics::bleu_by_source_length, in words
/// between blanks. Buckets without a sentence are left out.
std::vector<LengthScore> score_by_length(const std::shared_ptr<const LoadedModel>& loaded,
                                         const std::vector<data::Pair>& pairs,
                                         const std::vector<int64_t>& limits);

}  // namespace attend::lessons
