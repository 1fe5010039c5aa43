// What can be told from the characters of one line.
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "attend/core/utf8.h"
#include "attend/data/doctor_catalogue.h"
#include "attend/text/clean.h"

namespace attend::data {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kByteOrderMark = 0xFEFF;

int category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_other_line_end(char32_t c) {
  return c == 0x0B || c == 0x0C || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/// Format characters without a use in plain sentences. Joiners (U+200C, U+200D) have one in
/// Persian, Hindi, emoji; byte order marks are looked for apart.
bool is_zero_width(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_CF && c != 0x200C && c != 0x200D && c != kByteOrderMark;
}

bool is_control(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_CC && c != '\t' && c != '\r' && !is_other_line_end(c);
}

enum class Script { kOther, kLatin, kGreek, kCyrillic };

/// Enough for look-alikes: the letters of three alphabets by their blocks.
Script script_of(char32_t c) {
  if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
      (c >= 0xC0 && c <= 0x24F && c != 0xD7 && c != 0xF7) || (c >= 0x1E00 && c <= 0x1EFF))
    return Script::kLatin;
  if ((c >= 0x370 && c <= 0x3FF && c != 0x37E && c != 0x387) || (c >= 0x1F00 && c <= 0x1FFF))
    return Script::kGreek;
  if (c >= 0x400 && c <= 0x52F) return Script::kCyrillic;
  return Script::kOther;
}

constexpr int64_t kNowhere = -1;

/// Where letters of two alphabets stand side by side: the second one, or kNowhere.
int64_t find_mixed_scripts(const std::vector<char32_t>& text) {
  Script previous = Script::kOther;
  for (size_t i = 0; i < text.size(); ++i) {
    const Script script = script_of(text[i]);
    if (script != Script::kOther && previous != Script::kOther && script != previous)
      return static_cast<int64_t>(i);
    previous = script;
  }
  return kNowhere;
}

/// A lead byte of UTF-8 and a following one, both taken for Latin-1 or Windows-1252 characters.
int64_t find_double_encoded(const std::vector<char32_t>& text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const char32_t a = text[i];
    const char32_t b = text[i + 1];
    if ((a == 0xC2 || a == 0xC3) && b >= 0x80 && b <= 0xBF) return static_cast<int64_t>(i);
    // A dash or a quotation mark.
    if (a == 0xE2 && (b == 0x20AC || b == 0x80)) return static_cast<int64_t>(i);
  }
  return kNowhere;
}

/// Where byte order marks stand that begin no file: those before the first word of a sentence,
/// which text::clean_line drops, and another one.
struct ByteOrderMarks {
  int64_t at_start = kNowhere;
  int64_t inside = kNowhere;
};

ByteOrderMarks find_byte_order_marks(const std::vector<char32_t>& text) {
  ByteOrderMarks marks;
  bool starts = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kByteOrderMark) {
      int64_t& where = starts ? marks.at_start : marks.inside;
      if (where == kNowhere) where = static_cast<int64_t>(i);
    } else if (text[i] == '\t') {
      starts = true;
    } else if (!text::is_blank(text[i]) && text[i] != '\r') {
      starts = false;
    }
  }
  return marks;
}

bool is_nfc(std::string_view valid) {
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                   static_cast<utf8proc_ssize_t>(valid.size()), &composed,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (size < 0) return true;  // cannot tell
  return std::string_view(reinterpret_cast<const char*>(composed), static_cast<size_t>(size)) ==
         valid;
}

/// Printable ASCII and tabs.
bool is_plain(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\t'; });
}

}  // namespace

void examine_characters(std::string_view line, int64_t number, Tally& tally) {
  const auto found_at = [&](int64_t focus, Kind kind) {
    if (focus != kNowhere) tally.add_at(kind, number, line, focus);
  };
  examine_marks(line, number, tally);
  if (is_plain(line)) return;

  const std::vector<char32_t> text = core::decode_utf8(line);
  const auto first = [&](auto&& holds) {
    const auto where = std::find_if(text.begin(), text.end(), holds);
    return where == text.end() ? kNowhere : static_cast<int64_t>(where - text.begin());
  };
  found_at(first([](char32_t c) { return c == '\r'; }), Kind::kInnerCarriageReturn);
  found_at(first(is_control), Kind::kControl);
  found_at(first(is_other_line_end), Kind::kOtherLineEnd);
  const ByteOrderMarks marks = find_byte_order_marks(text);
  found_at(marks.at_start, Kind::kInnerByteOrderMark);
  const int64_t zero_width = first(is_zero_width);
  found_at(zero_width != kNowhere ? zero_width : marks.inside, Kind::kZeroWidth);
  found_at(first([](char32_t c) { return c >= 0x80 && text::is_blank(c); }), Kind::kOddBlank);
  found_at(find_double_encoded(text), Kind::kMojibake);
  found_at(find_mixed_scripts(text), Kind::kMixedScripts);
  const bool invalid = core::find_invalid_utf8(line) != std::string_view::npos;
  found_at(first([](char32_t c) { return c == kReplacement; }),
           invalid ? Kind::kInvalidUtf8 : Kind::kReplacement);
  // Nothing below U+0300 composes with what is before it.
  const int64_t high = first([](char32_t c) { return c >= 0x300; });
  if (high != kNowhere && !invalid && !is_nfc(line))
    tally.add_at(Kind::kNotNfc, number, line, high);
}

}  // namespace attend::data
