// UTF-8, strictly: overlong forms, surrogates and what lies beyond U+10FFFF are invalid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attend::core {

/// Offset of the first invalid byte, or npos.
size_t find_invalid_utf8(std::string_view text);

/// Each maximal invalid sequence replaced by U+FFFD (as the WHATWG decoder does).
std::string mend_utf8(std::string_view text);

/// The code points of valid UTF-8; invalid bytes come as U+FFFD.
std::vector<char32_t> decode_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t code_point);

/// Splits at LF; a CR before it goes; nothing else ends a line (not U+2028, U+0085, VT or FF). A
/// last line without LF counts, an empty rest does not.
std::vector<std::string> split_lines(std::string_view text);

}  // namespace attend::core
