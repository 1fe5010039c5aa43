#include "cli/evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "attend/metrics/perplexity.h"
#include "attend/metrics/signature.h"

namespace attend::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string bleu_signature(const Evaluation& e) {
  return metrics::signature(e.bleu_options, 1, e.bootstrap);
}
std::string chrf_signature(const Evaluation& e) {
  return metrics::signature(e.chrf_options, 1, e.bootstrap);
}

std::string by_length_text(const Evaluation& e) {
  std::string text = "BLEU by the length of the source, in tokens:\n";
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

Json bleu_json(const Evaluation& e) {
  Json json = {{"name", e.bleu.name},
               {"score", e.bleu.score},
               {"signature", bleu_signature(e)},
               {"precisions", e.bleu.precisions},
               {"brevity_penalty", e.bleu.brevity_penalty},
               {"hypothesis_length", e.bleu.hypothesis_length},
               {"reference_length", e.bleu.reference_length},
               {"hints", e.bleu.hints}};
  if (e.bleu_interval) json["interval"] = interval_json(*e.bleu_interval);
  return json;
}

Json chrf_json(const Evaluation& e) {
  Json json = {{"name", e.chrf.name}, {"score", e.chrf.score}, {"signature", chrf_signature(e)}};
  if (e.chrf_interval) json["interval"] = interval_json(*e.chrf_interval);
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

Json sentences_json(const Evaluation& e) {
  Json list = Json::array();
  for (const auto& s : e.sentences)
    list.push_back({{"line", s.line},
                    {"source", s.source},
                    {"hypothesis", s.hypothesis},
                    {"reference", s.reference},
                    {"book_bleu", s.book_bleu},
                    {"score", s.score ? Json(*s.score) : Json(nullptr)}});
  return list;
}

}  // namespace

std::string sentences_text(const Evaluation& e) {
  std::string text;
  for (const auto& s : e.sentences)
    text += fmt::format("{} => {}, bleu {:.3f}\n", s.source.empty() ? s.reference : s.source,
                        s.hypothesis, s.book_bleu);
  return text;
}

std::string summary_text(const Evaluation& e) {
  std::string text = fmt::format("{} {}, scored as {}; one reference a line\n", e.sentences.size(),
                                 e.sentences.size() == 1 ? "sentence" : "sentences", e.scored);
  if (!e.without_heads.empty())
    text += fmt::format("by the model without {}\n", fmt::join(e.without_heads, ", "));
  text += metrics::to_text(e.bleu, 2, bleu_signature(e), e.bleu_interval) + "\n";
  text += metrics::to_text(e.chrf, 2, chrf_signature(e), e.chrf_interval) + "\n";
  text +=
      fmt::format("the book's BLEU = {:.3f} (mean over sentences, k = 2, 0 to 1)\n", e.book_bleu);
  if (e.loss && e.loss->tokens > 0)
    text += fmt::format("loss = {:.4f} nats per target token, perplexity = {:.3f} ({} tokens)\n",
                        e.loss->sum / static_cast<double>(e.loss->tokens),
                        metrics::perplexity(e.loss->sum, e.loss->tokens), e.loss->tokens);
  if (!e.by_length.empty()) text += by_length_text(e);
  return text;
}

std::string to_json(const Evaluation& e, bool with_sentences) {
  Json json = {{"sentences", e.sentences.size()},
               {"scored", e.scored},
               {"bleu", bleu_json(e)},
               {"chrf", chrf_json(e)},
               {"book_bleu", e.book_bleu}};
  if (e.loss && e.loss->tokens > 0) {
    json["loss"] = e.loss->sum / static_cast<double>(e.loss->tokens);
    json["perplexity"] = metrics::perplexity(e.loss->sum, e.loss->tokens);
    json["tokens"] = e.loss->tokens;
    json["cut_targets"] = e.loss->cut;
  }
  json["shared_sources"] = e.shared_sources;
  if (!e.without_heads.empty()) json["without_heads"] = e.without_heads;
  if (!e.by_length.empty()) json["by_length"] = buckets_json(e);
  if (with_sentences) json["details"] = sentences_json(e);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attend::cli
