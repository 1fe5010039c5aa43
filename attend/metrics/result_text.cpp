// The lines of scores, as sacreBLEU writes them.
#include "attend/metrics/bleu.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/number_text.h"

namespace attend::metrics {
namespace {

// "NAME|SIGNATURE = 12.34 (μ = 12.30 ± 0.56)"
std::string begin_line(const std::string& name, double score, int decimals,
                       std::string_view signature, const std::optional<Interval>& interval) {
  std::string text = name;
  if (!signature.empty()) text += "|" + std::string(signature);
  text += " = " + fixed(score, decimals);
  if (interval) {
    text += " (\u03BC = " + fixed(interval->mean, decimals) + " \u00B1 " +
            fixed(interval->half_width, decimals) + ")";
  }
  return text;
}

}  // namespace

std::string to_text(const BleuScore& score, int decimals, std::string_view signature,
                    const std::optional<Interval>& interval) {
  std::string text = begin_line(score.name, score.score, decimals, signature, interval);
  char separator = ' ';
  for (const double precision : score.precisions) {
    text += separator + fixed(precision, 1);
    separator = '/';
  }
  text += " (BP = " + fixed(score.brevity_penalty, 3) + " ratio = " + fixed(score.ratio(), 3);
  text += " hyp_len = " + std::to_string(score.hypothesis_length);
  return text + " ref_len = " + std::to_string(score.reference_length) + ")";
}

std::string to_text(const ChrfScore& score, int decimals, std::string_view signature,
                    const std::optional<Interval>& interval) {
  return begin_line(score.name, score.score, decimals, signature, interval);
}

}  // namespace attend::metrics
