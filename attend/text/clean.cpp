#include "attend/text/clean.h"

#include <utf8proc.h>

#include <utility>

#include "attend/core/lower_case.h"
#include "attend/core/utf8.h"

namespace attend::text {
namespace {

constexpr char32_t kByteOrderMark = 0xFEFF;

bool ends_a_line(char32_t c) { return c == '\r' || c == '\n'; }

bool is_split_mark(char32_t c) { return c == ',' || c == '.' || c == '!' || c == '?'; }

std::u32string lower(std::u32string text, bool by_words) {
  if (by_words) return core::lower_case(text);
  for (char32_t& c : text)
    c = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
  return text;
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
  std::u32string clean;
  clean.reserve(line.size() + line.size() / 8);
  bool blank_due = false;
  for (const char32_t c : core::decode_utf8(line)) {
    if (c == kByteOrderMark && clean.empty()) continue;
    if (is_blank(c) || ends_a_line(c)) {
      blank_due = true;
      continue;
    }
    if (!clean.empty() && (blank_due || (options.split_punctuation && is_split_mark(c))))
      clean += U' ';
    blank_due = false;
    clean += c;
  }
  if (options.lowercase) clean = lower(std::move(clean), options.lowercase_by_words);
  std::string out;
  out.reserve(clean.size() + clean.size() / 8);
  for (const char32_t c : clean) core::append_utf8(out, c);
  return out;
}

}  // namespace attend::text
