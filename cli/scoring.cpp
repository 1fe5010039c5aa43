#include "cli/scoring.h"

#include <algorithm>

#include "attend/metrics/book_bleu.h"

namespace attend::cli {
namespace {

using Lines = std::vector<std::string>;

// The two sides of all sentences, as the scorers take them.
struct Sides {
  Lines hypotheses;
  std::vector<Lines> references;
};

Sides sides_of(const Evaluation& e, std::string Evaluated::* hypothesis,
               Lines Evaluated::* references) {
  Sides sides{{}, std::vector<Lines>(static_cast<size_t>(e.references))};
  for (const Evaluated& s : e.sentences) {
    sides.hypotheses.push_back(s.*hypothesis);
    for (size_t r = 0; r < sides.references.size(); ++r)
      sides.references[r].push_back((s.*references)[r]);
  }
  return sides;
}

void score_bleu(const Sides& sides, const std::optional<metrics::BootstrapOptions>& bootstrap,
                Scored& scored) {
  scored.bleu = metrics::corpus_bleu_multi(sides.hypotheses, sides.references, scored.bleu_options);
  if (bootstrap)
    scored.bleu_interval = metrics::bootstrap_interval(
        metrics::bleu_statistics(sides.hypotheses, sides.references, scored.bleu_options),
        metrics::bleu_scorer(scored.bleu_options), *bootstrap);
}

void score_chrf(const Sides& sides, const std::optional<metrics::BootstrapOptions>& bootstrap,
                Scored& scored) {
  scored.chrf = metrics::corpus_chrf_multi(sides.hypotheses, sides.references, scored.chrf_options);
  if (bootstrap)
    scored.chrf_interval = metrics::bootstrap_interval(
        metrics::chrf_statistics(sides.hypotheses, sides.references, scored.chrf_options),
        metrics::chrf_scorer(scored.chrf_options), *bootstrap);
}

void score_sentences(Evaluation& e) {
  metrics::BleuOptions options = e.part_options();
  options.effective_order = true;
  double sum = 0.0;
  for (Evaluated& s : e.sentences) {
    s.sentence_bleu = metrics::sentence_bleu(s.hypothesis, s.references, options).score;
    const bool has_words = !s.reference_words.empty();
    for (const std::string& label : has_words ? s.reference_words : s.references)
      s.book_bleu = std::max(
          s.book_bleu, metrics::book_bleu(has_words ? s.hypothesis_words : s.hypothesis, label));
    sum += s.book_bleu;
  }
  e.book_bleu = sum / static_cast<double>(e.sentences.size());
}

// Whether a pipeline's tokens are words, so that BLEU over them is one over words.
bool has_word_tokens(const text::Pipeline& pipeline) {
  return pipeline.tokeniser() == text::TokeniserKind::kSpace ||
         pipeline.tokeniser() == text::TokeniserKind::kWord;
}

}  // namespace

void set_scoring(const ScoringFlags& flags, Evaluation& e) {
  e.text.bleu_options.tokenizer = metrics::parse_tokenizer(flags.tokenizer);
  e.text.bleu_options.lowercase = e.text.chrf_options.lowercase = flags.lowercase;
  if (flags.bootstrap > 0) e.bootstrap = metrics::BootstrapOptions{flags.bootstrap};
}

void set_model_scoring(const LoadedModel& model, const ScoringFlags& flags, Evaluation& e) {
  set_scoring(flags, e);
  // Its text stands as its tokeniser joins it: a blank before a mark is no mistake of the user's.
  e.text.bleu_options.force = true;
  if (model.text_config.lowercase && !flags.lowercase) {
    e.caseless = e.text;
    e.caseless->bleu_options.lowercase = e.caseless->chrf_options.lowercase = true;
  }
  if (!has_word_tokens(model.target)) return;
  e.tokenised.emplace();
  e.tokenised->bleu_options.tokenizer = metrics::Tokenizer::kNone;
  e.tokenised->bleu_options.lowercase = model.text_config.lowercase;
}

void score(Evaluation& e, bool by_length) {
  const Sides text = sides_of(e, &Evaluated::hypothesis, &Evaluated::references);
  for (Scored* scored : {&e.text, e.caseless ? &*e.caseless : nullptr})
    if (scored != nullptr) {
      score_bleu(text, e.bootstrap, *scored);
      score_chrf(text, e.bootstrap, *scored);
    }
  if (e.tokenised) {
    score_bleu(sides_of(e, &Evaluated::hypothesis_words, &Evaluated::reference_words), e.bootstrap,
               *e.tokenised);
    e.tokenised->bleu.name = "tokenised BLEU";
  }
  score_sentences(e);
  if (!by_length) return;
  std::vector<int64_t> lengths;
  for (const Evaluated& s : e.sentences)
    lengths.push_back(metrics::count_blank_separated(s.source));
  e.by_length = metrics::bleu_by_source_length_multi(lengths, text.hypotheses, text.references,
                                                     {3, 6, 9, 12}, e.part_options());
}

}  // namespace attend::cli
