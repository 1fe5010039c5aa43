#include "attend/text/clean.h"

#include <utf8proc.h>

#include "attend/core/utf8.h"

namespace attend::text {
namespace {

constexpr char32_t kByteOrderMark = 0xFEFF;

bool ends_a_line(char32_t c) { return c == '\r' || c == '\n'; }

bool is_split_mark(char32_t c) { return c == ',' || c == '.' || c == '!' || c == '?'; }

char32_t to_lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace

bool is_blank(char32_t code_point) {
  if (code_point < 0x80) return code_point == ' ' || code_point == '\t';
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == UTF8PROC_CATEGORY_ZS;
}

bool is_blank_line(std::string_view line) {
  for (const char32_t c : core::decode_utf8(line))
    if (!is_blank(c) && !ends_a_line(c) && c != kByteOrderMark) return false;
  return true;
}

std::string clean_line(std::string_view line, const CleanOptions& options) {
  std::string out;
  out.reserve(line.size() + line.size() / 8);
  bool blank_due = false;
  for (const char32_t c : core::decode_utf8(line)) {
    if (c == kByteOrderMark && out.empty()) continue;
    if (is_blank(c) || ends_a_line(c)) {
      blank_due = true;
      continue;
    }
    if (!out.empty() && (blank_due || (options.split_punctuation && is_split_mark(c)))) out += ' ';
    blank_due = false;
    core::append_utf8(out, options.lowercase ? to_lower(c) : c);
  }
  return out;
}

}  // namespace attend::text
