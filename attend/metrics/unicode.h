// What Python's str does to blanks. sacreBLEU is written in Python, so its scores hang on these
// rules: other blanks mean other tokens and another score. Its lower() is core's lower_case().
// Internal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// UTF-8 to code points; invalid bytes come as U+FFFD.
std::u32string decode(std::string_view text);
std::string encode(std::u32string_view text);

/// str.isspace(): the blanks of Unicode, the line ends, and the separators U+001C to U+001F.
bool is_space(char32_t c);

/// str.split() and str.rstrip(), str.strip(). The views live as long as `text` does.
std::vector<std::u32string_view> split(std::u32string_view text);
std::u32string_view strip_right(std::u32string_view text);
std::u32string_view strip(std::u32string_view text);
/// ' '.join(text.split())
std::u32string squeeze(std::u32string_view text);

/// Unicode's general categories P*, S* and N*.
bool is_punctuation(char32_t c);
bool is_symbol(char32_t c);
bool is_number(char32_t c);

}  // namespace attend::metrics
