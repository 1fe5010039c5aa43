// sacreBLEU's tokenizer for Chinese: each character of the ranges below is a token.
#include <array>

#include "attend/metrics/tokenise_rules.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// sacreBLEU means U+20000 to U+2A6D6 and U+2F800 to U+2FA1D by two of its ranges, but the literals
// hold four hexadecimal digits and a letter after them, and it compares strings: what it sets apart
// is U+2001 to U+2A6D (dashes, quotes, arrows, ...) and U+2F81 to U+2FA1, and no ideograph beyond
// U+FFFF. Scores that are to be compared need the same, so this table says what it does.
constexpr std::array<Range, 22> kSetApart = {{
    {0x3400, 0x4DB5},  // ideographs, extension A
    {0x4E00, 0x9FA5},  // ideographs
    {0x9FA6, 0x9FBB},  // ideographs of Unicode 4.1
    {0xF900, 0xFA2D},  // compatibility ideographs
    {0xFA30, 0xFA6A},  // compatibility ideographs of 3.2
    {0xFA70, 0xFAD9},  // compatibility ideographs of 4.1
    {0x2001, 0x2A6D},  // see above
    {0x2F81, 0x2FA1},  // see above
    {0xFF00, 0xFFEF},  // full width and half width forms
    {0x2E80, 0x2EFF},  // radicals, supplement
    {0x3000, 0x303F},  // punctuation
    {0x31C0, 0x31EF},  // strokes
    {0x2F00, 0x2FDF},  // Kangxi radicals
    {0x2FF0, 0x2FFF},  // description of characters
    {0x3100, 0x312F},  // Bopomofo
    {0x31A0, 0x31BF},  // Bopomofo, extended
    {0xFE10, 0xFE1F},  // vertical forms
    {0xFE30, 0xFE4F},  // compatibility forms
    {0x2600, 0x26FF},  // miscellaneous symbols
    {0x2700, 0x27BF},  // dingbats
    {0x3200, 0x32FF},  // enclosed letters and months
    {0x3300, 0x33FF},  // units in a square
}};

bool is_set_apart(char32_t c) {
  for (const Range& range : kSetApart) {
    if (range.first <= c && c <= range.last) return true;
  }
  return false;
}

}  // namespace

std::u32string tokenise_zh(std::u32string_view line) {
  return split_western_punctuation(set_apart(strip(line), is_set_apart));
}

}  // namespace attend::metrics
