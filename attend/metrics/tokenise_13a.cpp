// The tokenizer of mteval-v13a, which WMT scored with, as sacreBLEU has it.
#include "attend/metrics/tokenise_rules.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_period_or_comma(char32_t c) { return c == '.' || c == ','; }

// All of ASCII's punctuation, and the blank, but for ' , - .
bool stands_alone(char32_t c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

}  // namespace

std::u32string split_western_punctuation(std::u32string_view line) {
  const auto not_digit = [](char32_t c) { return !is_digit(c); };
  const auto apart = [](std::u32string& out, char32_t a, char32_t b) { out += {a, U' ', b, U' '}; };
  std::u32string text = set_apart(line, stands_alone);
  text = rewrite_pairs(text, not_digit, is_period_or_comma, apart);
  text =
      rewrite_pairs(text, is_period_or_comma, not_digit,
                    [](std::u32string& out, char32_t a, char32_t b) { out += {U' ', a, U' ', b}; });
  text = rewrite_pairs(text, is_digit, [](char32_t c) { return c == '-'; }, apart);
  return squeeze(text);
}

std::u32string tokenise_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  // This order is mteval's: "&amp;lt;" ends as "<".
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  return split_western_punctuation(U' ' + text + U' ');
}

}  // namespace attend::metrics
