// BLEU of a trained translator by the length of the sentence, on pairs it was not trained on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attend/data/corpus.h"
#include "attend/lessons/bilingual.h"
#include "attend/metrics/length_buckets.h"
#include "attend/models/config.h"
#include "attend/render/bars.h"

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

/// How many numbers a decoder can read of a source of so many words and its end mark: the encoder's
/// last states, or a state for each word.
int64_t numbers_to_read(const ModelConfig& config, int64_t words);

/// Words between blanks of the longest source.
int64_t longest_source(const std::vector<data::Pair>& pairs);

/// Whether the first model, which has the fixed code, falls from the shortest sentences to the
/// longest by more than the others. `half_widths` are those of the bars.
Bilingual lengths_finding(const std::vector<render::BarSeries>& models,
                          const std::vector<std::vector<double>>& half_widths, int64_t longest);

}  // namespace attend::lessons
