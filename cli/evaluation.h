// What `attend evaluate` found, and its two forms: text for people, JSON for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attend/metrics/bleu.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/length_buckets.h"

namespace attend::cli {

/// One line.
struct Evaluated {
  int64_t line = 0;
  std::string source;                   ///< as the model reads it; empty without a source
  std::string hypothesis;               ///< the translation as text
  std::vector<std::string> references;  ///< as they were given, the same number on every line
  /// Both as the model's own tokens, a blank between; empty where those are no words.
  std::string hypothesis_words = {};
  std::vector<std::string> reference_words = {};
  std::optional<double> score = {};  ///< log-probability of the hypothesis; none without a model
  double sentence_bleu = 0.0;        ///< sacreBLEU's of one sentence, 0 to 100
  double book_bleu = 0.0;            ///< the best over the references, k = 2, 0 to 1
};

/// A way of scoring all lines, and what came out.
struct Scored {
  metrics::BleuOptions bleu_options;
  metrics::BleuScore bleu = {};
  std::optional<metrics::Interval> bleu_interval = {};
  metrics::ChrfOptions chrf_options = {};
  std::optional<metrics::ChrfScore> chrf = {};  ///< none over words: chrF is of text
  std::optional<metrics::Interval> chrf_interval = {};
};

struct Loss {
  double sum = 0.0;  ///< nats
  int64_t tokens = 0;
  int64_t cut = 0;  ///< targets longer than the model's steps
};

struct Evaluation {
  std::vector<Evaluated> sentences;
  int64_t references = 1;  ///< of each sentence
  /// The translations as text against the references as they were given.
  Scored text;
  /// The same without regard to case, for a model that writes lower case.
  std::optional<Scored> caseless;
  /// Over the words of the model's own pipeline, which is applied to the references too.
  std::optional<Scored> tokenised;
  std::optional<metrics::BootstrapOptions> bootstrap;
  double book_bleu = 0.0;  ///< mean over sentences
  std::optional<Loss> loss;
  std::vector<metrics::LengthBucket> by_length;  ///< empty unless asked for
  int64_t shared_sources = 0;                    ///< sources that stand in more than one pair
  std::vector<std::string> without_heads;        ///< that were taken out of the model

  /// How single sentences and groups of them are scored: without regard to case where the model has
  /// none, since a capital would hide the rest.
  const metrics::BleuOptions& part_options() const {
    return caseless ? caseless->bleu_options : text.bleu_options;
  }
};

/// "go . => va !, sentence BLEU 100.00, book BLEU 1.000" a line.
std::string sentences_text(const Evaluation& evaluation);
std::string summary_text(const Evaluation& evaluation, bool with_sentences);
std::string to_json(const Evaluation& evaluation, bool with_sentences);

}  // namespace attend::cli
