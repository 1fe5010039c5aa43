#include "attend/metrics/signature.h"

#include "attend/metrics/number_text.h"

namespace attend::metrics {
namespace {

std::string begin_signature(int64_t references, const std::optional<BootstrapOptions>& bootstrap) {
  std::string text = "nrefs:" + std::to_string(references);
  if (bootstrap) {
    text += "|bs:" + std::to_string(bootstrap->samples);
    text += "|seed:" + std::to_string(bootstrap->seed);
  }
  return text;
}

std::string smoothing_text(const BleuOptions& options) {
  std::string text(smoothing_name(options.smoothing));
  if (options.smoothing == Smoothing::kFloor || options.smoothing == Smoothing::kAddK) {
    text += "[" + fixed(smoothing_value(options), 2) + "]";
  }
  return text;
}

std::string version_field() { return "|version:" + std::string(kSignatureVersion); }

}  // namespace

std::string signature(const BleuOptions& options, int64_t references,
                      const std::optional<BootstrapOptions>& bootstrap) {
  std::string text = begin_signature(references, bootstrap);
  text += options.lowercase ? "|case:lc" : "|case:mixed";
  text += options.effective_order ? "|eff:yes" : "|eff:no";
  text += "|tok:" + std::string(tokenizer_name(options.tokenizer));
  text += "|smooth:" + smoothing_text(options);
  if (options.max_order != 4) text += "|order:" + std::to_string(options.max_order);
  return text + version_field();
}

std::string signature(const ChrfOptions& options, int64_t references,
                      const std::optional<BootstrapOptions>& bootstrap) {
  std::string text = begin_signature(references, bootstrap);
  text += options.lowercase ? "|case:lc" : "|case:mixed";
  text += options.epsilon_smoothing ? "|eff:no" : "|eff:yes";
  text += "|nc:" + std::to_string(options.character_order);
  text += "|nw:" + std::to_string(options.word_order);
  text += options.keep_blanks ? "|space:yes" : "|space:no";
  return text + version_field();
}

}  // namespace attend::metrics
