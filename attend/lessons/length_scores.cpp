#include "attend/lessons/length_scores.h"

#include "attend/decoding/translator.h"
#include "attend/metrics/bootstrap.h"
#include "attend/models/model_files.h"

namespace attend::lessons {

std::vector<LengthScore> score_by_length(const std::shared_ptr<const LoadedModel>& loaded,
                                         const std::vector<data::Pair>& pairs,
                                         const std::vector<int64_t>& limits) {
  metrics::BleuOptions options;
  options.tokenizer = metrics::Tokenizer::kNone;
  options.max_order = 2;
  std::vector<std::string> sources, written, references;
  std::vector<int64_t> lengths;
  for (const data::Pair& pair : pairs) {
    sources.push_back(pair.source);
    lengths.push_back(metrics::count_blank_separated(pair.source));
    references.push_back(loaded->target.clean(pair.target));
  }
  for (const Translation& t : Translator::share(loaded).translate(sources, {}))
    written.push_back(t.text);
  std::vector<LengthScore> scores;
  for (auto& bucket :
       metrics::bleu_by_source_length(lengths, written, references, limits, options)) {
    if (bucket.sentences == 0) continue;
    std::vector<std::string> some_written, some_references;
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < bucket.low || (bucket.high >= 0 && lengths[i] > bucket.high)) continue;
      some_written.push_back(written[i]);
      some_references.push_back(references[i]);
    }
    const auto interval = metrics::bootstrap_interval(
        metrics::bleu_statistics(some_written, {some_references}, options),
        metrics::bleu_scorer(options));
    scores.push_back({std::move(bucket), interval.half_width});
  }
  return scores;
}

}  // namespace attend::lessons
