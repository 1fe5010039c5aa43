#include "cli/evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "attend/metrics/perplexity.h"
#include "attend/metrics/signature.h"
#include "cli/console.h"

namespace attend::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string bleu_signature(const Evaluation& e, const Scored& scored) {
  return metrics::signature(scored.bleu_options, e.references, e.bootstrap);
}
std::string chrf_signature(const Evaluation& e, const Scored& scored) {
  return metrics::signature(scored.chrf_options, e.references, e.bootstrap);
}

std::string sentence_signature(const Evaluation& e) {
  metrics::BleuOptions options = e.part_options();
  options.effective_order = true;
  return metrics::signature(options, e.references);
}

std::string lines_of(const Evaluation& e, const Scored& scored) {
  std::string text =
      metrics::to_text(scored.bleu, 2, bleu_signature(e, scored), scored.bleu_interval) + "\n";
  if (scored.chrf)
    text +=
        metrics::to_text(*scored.chrf, 2, chrf_signature(e, scored), scored.chrf_interval) + "\n";
  return text;
}

std::string by_length_text(const Evaluation& e) {
  std::string text = fmt::format("BLEU|{} by the length of the source, in tokens:\n",
                                 metrics::signature(e.part_options(), e.references));
  for (const auto& bucket : e.by_length)
    text += bucket.sentences == 0
                ? fmt::format("  {:>6}        -\n", bucket.label())
                : fmt::format("  {:>6}   {:6.2f}   {} {}\n", bucket.label(), bucket.bleu.score,
                              bucket.sentences, bucket.sentences == 1 ? "sentence" : "sentences");
  return text;
}

Json interval_json(const metrics::Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

Json bleu_json(const Evaluation& e, const Scored& scored) {
  Json json = {{"name", scored.bleu.name},
               {"score", scored.bleu.score},
               {"signature", bleu_signature(e, scored)},
               {"precisions", scored.bleu.precisions},
               {"brevity_penalty", scored.bleu.brevity_penalty},
               {"hypothesis_length", scored.bleu.hypothesis_length},
               {"reference_length", scored.bleu.reference_length},
               {"hints", scored.bleu.hints}};
  if (scored.bleu_interval) json["interval"] = interval_json(*scored.bleu_interval);
  return json;
}

Json chrf_json(const Evaluation& e, const Scored& scored) {
  Json json = {{"name", scored.chrf->name},
               {"score", scored.chrf->score},
               {"signature", chrf_signature(e, scored)}};
  if (scored.chrf_interval) json["interval"] = interval_json(*scored.chrf_interval);
  return json;
}

Json buckets_json(const Evaluation& e) {
  Json buckets = Json::array();
  for (const auto& bucket : e.by_length)
    buckets.push_back({{"low", bucket.low},
                       {"high", bucket.high < 0 ? Json(nullptr) : Json(bucket.high)},
                       {"sentences", bucket.sentences},
                       {"bleu", bucket.sentences > 0 ? Json(bucket.bleu.score) : Json(nullptr)}});
  return buckets;
}

Json sentence_json(const Evaluation& e, const Evaluated& s) {
  Json json = {{"line", s.line},
               {"source", s.source},
               {"hypothesis", s.hypothesis},
               {"reference", s.references.front()}};
  if (e.references > 1) json["references"] = s.references;
  if (e.tokenised) {
    json["hypothesis_words"] = s.hypothesis_words;
    json["reference_words"] = s.reference_words.front();
  }
  json["sentence_bleu"] = s.sentence_bleu;
  json["book_bleu"] = s.book_bleu;
  json["score"] = s.score ? Json(*s.score) : Json(nullptr);
  return json;
}

}  // namespace

std::string sentences_text(const Evaluation& e) {
  std::string text;
  for (const auto& s : e.sentences)
    text += fmt::format("{} => {}, sentence BLEU {:.2f}, book BLEU {:.3f}\n",
                        shown(s.source.empty() ? s.references.front() : s.source),
                        shown(s.hypothesis), s.sentence_bleu, s.book_bleu);
  return text;
}

std::string summary_text(const Evaluation& e, bool with_sentences) {
  std::string text =
      fmt::format("{} {}, {} a line: the text of the translation against what was given\n",
                  e.sentences.size(), e.sentences.size() == 1 ? "sentence" : "sentences",
                  e.references == 1 ? "one reference" : fmt::format("{} references", e.references));
  if (!e.without_heads.empty())
    text += fmt::format("by the model without {}\n", fmt::join(e.without_heads, ", "));
  text += lines_of(e, e.text);
  if (e.caseless)
    text += "without regard to case, since the model writes lower case only:\n" +
            lines_of(e, *e.caseless);
  if (e.tokenised)
    text += "over the model's own words, to compare within one text pipeline only:\n" +
            lines_of(e, *e.tokenised);
  text += fmt::format("the book's BLEU = {:.3f} (mean over sentences{}, k = 2, 0 to 1)\n",
                      e.book_bleu, e.references == 1 ? "" : " of the best reference");
  if (with_sentences)
    text += fmt::format("sentence BLEU above: {}; book BLEU: the book's\n", sentence_signature(e));
  if (e.loss && e.loss->tokens > 0)
    text += fmt::format(
        "loss = {:.4f} nats per target token, perplexity = {:.3f} ({} tokens, end marks "
        "among them{})\n",
        e.loss->sum / static_cast<double>(e.loss->tokens),
        metrics::perplexity(e.loss->sum, e.loss->tokens), e.loss->tokens,
        e.references == 1 ? "" : "; of the first reference");
  if (!e.by_length.empty()) text += by_length_text(e);
  return text;
}

std::string to_json(const Evaluation& e, bool with_sentences) {
  Json json = {{"sentences", e.sentences.size()},
               {"references", e.references},
               {"bleu", bleu_json(e, e.text)},
               {"chrf", chrf_json(e, e.text)}};
  if (e.caseless) {
    json["bleu_caseless"] = bleu_json(e, *e.caseless);
    json["chrf_caseless"] = chrf_json(e, *e.caseless);
  }
  if (e.tokenised) json["bleu_tokenised"] = bleu_json(e, *e.tokenised);
  json["book_bleu"] = e.book_bleu;
  if (e.loss && e.loss->tokens > 0) {
    json["loss"] = e.loss->sum / static_cast<double>(e.loss->tokens);
    json["perplexity"] = metrics::perplexity(e.loss->sum, e.loss->tokens);
    json["tokens"] = e.loss->tokens;
    json["cut_targets"] = e.loss->cut;
  }
  json["shared_sources"] = e.shared_sources;
  if (!e.without_heads.empty()) json["without_heads"] = e.without_heads;
  if (!e.by_length.empty()) {
    json["by_length_signature"] = metrics::signature(e.part_options(), e.references);
    json["by_length"] = buckets_json(e);
  }
  if (with_sentences) {
    json["sentence_bleu_signature"] = sentence_signature(e);
    Json list = Json::array();
    for (const auto& s : e.sentences) list.push_back(sentence_json(e, s));
    json["details"] = list;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attend::cli
