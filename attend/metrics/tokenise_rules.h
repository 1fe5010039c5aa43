// The tokenizers on code points, and the one kind of rule they are made of. Internal.
#pragma once

#include <string>
#include <string_view>

#include "attend/metrics/tokenise.h"

namespace attend::metrics {

std::u32string tokenise_points(Tokenizer tokenizer, std::u32string_view line);

std::u32string tokenise_13a(std::u32string_view line);
std::u32string tokenise_intl(std::u32string_view line);
std::u32string tokenise_zh(std::u32string_view line);
std::u32string tokenise_char(std::u32string_view line);

/// The rules that 13a and zh end with: ASCII punctuation stands alone; a period or comma does
/// unless between digits; a dash does after a digit.
std::u32string split_western_punctuation(std::u32string_view line);

/// Rewrites each pair of neighbours (a, b) with first(a) and second(b), from left to right; a code
/// point belongs to one pair at most. This is what re.sub does with a pattern of two classes.
template <class First, class Second, class Write>
std::u32string rewrite_pairs(std::u32string_view text, First first, Second second, Write write) {
  std::u32string out;
  out.reserve(text.size() * 2);
  size_t i = 0;
  while (i < text.size()) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      write(out, text[i], text[i + 1]);
      i += 2;
    } else {
      out += text[i++];
    }
  }
  return out;
}

/// A blank on each side of every code point that `alone` picks.
template <class Alone>
std::u32string set_apart(std::u32string_view text, Alone alone) {
  std::u32string out;
  out.reserve(text.size() * 2);
  for (const char32_t c : text) {
    if (alone(c)) {
      out += {U' ', c, U' '};
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace attend::metrics
