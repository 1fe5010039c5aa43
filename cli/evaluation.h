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

/// One line, both as they were scored and as they were given.
struct Evaluated {
  int64_t line = 0;
  std::string source;      ///< as the model reads it; empty without a source
  std::string hypothesis;  ///< as scored
  std::string reference;   ///< as scored
  double book_bleu = 0.0;
  std::optional<double> score;  ///< log-probability of the hypothesis; none without a model
};

struct Loss {
  double sum = 0.0;  ///< nats
  int64_t tokens = 0;
  int64_t cut = 0;  ///< targets longer than the model's steps
};

struct Evaluation {
  std::string scored;  ///< what both sides are: "the model's tokens, in lower case", say
  std::vector<Evaluated> sentences;
  metrics::BleuOptions bleu_options;
  metrics::BleuScore bleu;
  std::optional<metrics::Interval> bleu_interval;
  std::optional<metrics::BootstrapOptions> bootstrap;
  metrics::ChrfOptions chrf_options;
  metrics::ChrfScore chrf;
  std::optional<metrics::Interval> chrf_interval;
  double book_bleu = 0.0;  ///< mean over sentences, k = 2
  std::optional<Loss> loss;
  std::vector<metrics::LengthBucket> by_length;  ///< empty unless asked for
  int64_t shared_sources = 0;                    ///< sources that stand in more than one pair
  std::vector<std::string> without_heads;        ///< that were taken out of the model
};

/// "go . => va !, bleu 1.000" a line.
std::string sentences_text(const Evaluation& evaluation);
std::string summary_text(const Evaluation& evaluation);
std::string to_json(const Evaluation& evaluation, bool with_sentences);

}  // namespace attend::cli
