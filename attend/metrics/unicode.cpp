#include "attend/metrics/unicode.h"

#include <utf8proc.h>

#include "attend/core/utf8.h"

namespace attend::metrics {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool between(char32_t c, char32_t low, char32_t high) { return low <= c && c <= high; }

}  // namespace

std::u32string decode(std::string_view text) {
  const std::vector<char32_t> points = core::decode_utf8(text);
  return {points.begin(), points.end()};
}

std::string encode(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) core::append_utf8(out, c);
  return out;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || between(c, 0x09, 0x0D) || between(c, 0x1C, 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::u32string_view> split(std::u32string_view text) {
  std::vector<std::u32string_view> tokens;
  size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && is_space(text[i])) ++i;
    const size_t begin = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    if (i > begin) tokens.push_back(text.substr(begin, i - begin));
  }
  return tokens;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::u32string_view strip(std::u32string_view text) {
  text = strip_right(text);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

std::u32string squeeze(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (const std::u32string_view token : split(text)) {
    if (!out.empty()) out += U' ';
    out += token;
  }
  return out;
}

bool is_punctuation(char32_t c) {
  const utf8proc_category_t k = category(c);
  return k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO;
}

bool is_symbol(char32_t c) {
  const utf8proc_category_t k = category(c);
  return k >= UTF8PROC_CATEGORY_SM && k <= UTF8PROC_CATEGORY_SO;
}

bool is_number(char32_t c) {
  const utf8proc_category_t k = category(c);
  return k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO;
}

}  // namespace attend::metrics
