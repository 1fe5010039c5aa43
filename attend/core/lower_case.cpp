#include "attend/core/lower_case.h"

#include <utf8proc.h>

namespace attend::core {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool between(char32_t c, char32_t low, char32_t high) { return low <= c && c <= high; }

// Unicode's Cased: letters with case, and what only looks like them (ª, roman and circled letters).
bool is_cased(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      return c == 0xAA || c == 0xBA || between(c, 0x2160, 0x217F) || between(c, 0x24B6, 0x24E9) ||
             between(c, 0x1F130, 0x1F149) || between(c, 0x1F150, 0x1F169) ||
             between(c, 0x1F170, 0x1F189);
  }
}

// Unicode's Case_Ignorable: marks, format controls, modifiers, and what joins parts of a word.
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::u32string_view(
                 U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07"
                 U"\uFF0E\uFF1A")
                 .find(c) != std::u32string_view::npos;
  }
}

// A sigma is final when a cased letter stands before it and none after it, joiners left aside.
bool is_final_sigma(std::u32string_view text, size_t i) {
  size_t before = i;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t after = i + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

std::u32string lower_case(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c < 0x80) {
      out += between(c, 'A', 'Z') ? c + 32 : c;
    } else if (c == 0x130) {  // I with a dot keeps its dot as a combining mark
      out += U"i\u0307";
    } else if (c == 0x3A3) {
      out += is_final_sigma(text, i) ? char32_t{0x3C2} : char32_t{0x3C3};
    } else {
      out += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    }
  }
  return out;
}

}  // namespace attend::core
