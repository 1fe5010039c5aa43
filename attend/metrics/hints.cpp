#include "attend/metrics/hints.h"

#include <algorithm>
#include <cstdint>

namespace attend::metrics {
namespace {

constexpr std::string_view kPieceMark = "\u2581";

void erase_all(std::string& text, std::string_view what, std::string_view instead) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + instead.size())) {
    text.replace(at, what.size(), instead);
  }
}

bool splits_punctuation(Tokenizer tokenizer) {
  return tokenizer != Tokenizer::kNone && tokenizer != Tokenizer::kChar;
}

}  // namespace

bool looks_tokenised(const std::vector<std::string>& lines) {
  const auto count = std::count_if(lines.begin(), lines.end(),
                                   [](const std::string& line) { return line.ends_with(" ."); });
  const auto size = static_cast<int64_t>(lines.size());
  return count >= 100 || (size >= 10 && 2 * count > size);
}

bool has_subword_marks(std::string_view line) {
  return line.ends_with("@@") || line.find("@@ ") != line.npos ||
         line.find(kPieceMark) != line.npos;
}

std::string join_subwords(std::string_view line) {
  std::string text(line);
  if (text.find(kPieceMark) != text.npos) {
    erase_all(text, " ", "");
    erase_all(text, kPieceMark, " ");
    if (text.starts_with(' ')) text.erase(0, 1);
    return text;
  }
  erase_all(text, "@@ ", "");
  if (text.ends_with("@@")) text.resize(text.size() - 2);
  return text;
}

std::vector<std::string> bleu_hints(const std::vector<std::string>& hypotheses,
                                    const BleuScore& score, const BleuOptions& options) {
  std::vector<std::string> hints;
  if (!options.force && splits_punctuation(options.tokenizer) && looks_tokenised(hypotheses)) {
    hints.push_back(
        "many hypotheses end in \" .\", as tokenised text does: score detokenised text, or take "
        "tokenizer none and say so");
  }
  if (std::any_of(hypotheses.begin(), hypotheses.end(), has_subword_marks)) {
    hints.push_back(
        "the hypotheses hold marks of subword pieces: join the pieces first; a score of pieces is "
        "no BLEU of words");
  }
  const auto matched = std::any_of(score.matches.begin(), score.matches.end(),
                                   [](int64_t count) { return count > 0; });
  if (score.score == 0.0 && matched && !options.effective_order && score.totals.back() == 0) {
    hints.push_back("no hypothesis has " + std::to_string(options.max_order) +
                    " tokens, so BLEU is 0 whatever matches: effective_order scores the orders "
                    "there are");
  }
  return hints;
}

}  // namespace attend::metrics
