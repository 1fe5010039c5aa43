// The tokenizer of mteval-v14 with --international-tokenization, as sacreBLEU has it: punctuation
// stands alone unless between numbers, symbols always. A period after a number at the end of the
// line stays with it: no code point follows that is not a number. That is mteval's, and kept.
// The categories are those of utf8proc's Unicode; code points younger than it count as no
// punctuation and no symbol.
#include "attend/metrics/tokenise_rules.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {

std::u32string tokenise_intl(std::u32string_view line) {
  const auto not_number = [](char32_t c) { return !is_number(c); };
  std::u32string text =
      rewrite_pairs(line, not_number, is_punctuation,
                    [](std::u32string& out, char32_t a, char32_t b) { out += {a, U' ', b, U' '}; });
  text =
      rewrite_pairs(text, is_punctuation, not_number,
                    [](std::u32string& out, char32_t a, char32_t b) { out += {U' ', a, U' ', b}; });
  return squeeze(set_apart(text, is_symbol));
}

}  // namespace attend::metrics
