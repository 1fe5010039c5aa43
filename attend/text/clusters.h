// Characters as people see them, and how tokens show a blank or a join.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attend::text {

/// 1 where a character begins as people see it, else 0: extended grapheme clusters (Unicode
/// Standard Annex #29), so that "👍🏽", "🇫🇷" and "e\u0301" are one each. A blank, U+2581 and U+203F
/// begin one whatever stands before them, so that what tokens show by these is told from text.
std::vector<uint8_t> cluster_starts(const std::vector<char32_t>& text);

/// In tokens: a blank, and that no blank stood there. Where the text has such a character itself, a
/// token begins with it and spells it.
inline constexpr char32_t kBlankMark = 0x2581;
inline constexpr char32_t kTieMark = 0x203F;
inline constexpr std::string_view kBlankMarkText = "\u2581";
inline constexpr std::string_view kTieMarkText = "\u203F";
inline constexpr std::string_view kSpelledBlankMark = "\\u2581";
inline constexpr std::string_view kSpelledTieMark = "\\u203F";

}  // namespace attend::text
