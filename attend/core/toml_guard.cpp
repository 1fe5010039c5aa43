#include "attend/core/toml_guard.h"

#include <algorithm>
#include <cstdio>

#include "attend/core/errors.h"
#include "attend/core/utf8.h"

namespace attend::core::detail {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7F || (byte < 0x20 && c != '\t' && c != '\n' && c != '\r');
}
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Bytes of the character that begins so; the text is valid UTF-8.
size_t character_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

std::string escape_of(std::string_view character) {
  char text[16];
  const auto code_point = static_cast<unsigned>(decode_utf8(character).front());
  std::snprintf(text, sizeof text, "\\U%08X", code_point);
  return text;
}

[[noreturn]] void refuse_at(std::string_view text, size_t at, const std::string& path,
                            const std::string& message) {
  const std::string_view before = text.substr(0, at);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto column = 1 + decode_utf8(before.substr(line_start)).size();
  throw DataError(path, line, static_cast<int64_t>(column), message);
}

class Guard {
 public:
  Guard(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::string run() {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text_.substr(0, kMark.size()) == kMark) copy(kMark.size());
    start_ = at_;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '#') {
        copy(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else if (c == '"' || c == '\'') {
        // Elsewhere the parser does not see a string begin, and reads on over what is in it.
        if (!string_may_begin()) refuse_at(text_, at_, path_, "a string can't begin here");
        if (!copy_string(c)) break;
      } else if (is_control(c)) {
        refuse_at(text_, at_, path_, "expected no control character outside of a string");
      } else if (is_ascii(c)) {
        copy(1);
      } else {
        const std::string character(text_.substr(at_, character_length(c)));
        refuse_at(text_, at_, path_, "expected '" + character + "' in a string or comment only");
      }
    }
    return std::move(out_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  bool string_may_begin() const {
    return at_ == start_ ||
           std::string_view(" \t\r\n=[{,.").find(text_[at_ - 1]) != std::string_view::npos;
  }
  void copy(size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }

  // The number of delimiters from here, at most five: """ may stand after two that belong to the
  // text.
  size_t delimiters(char delimiter) const {
    const size_t end = std::min(text_.find_first_not_of(delimiter, at_), text_.size());
    return std::min<size_t>(end - at_, 5);
  }

  // False where the document goes wrong: the parser then stops there too, and needs no more of it.
  bool copy_string(char delimiter) {
    const bool basic = delimiter == '"';
    if (delimiters(delimiter) < 3) return copy_line_string(delimiter, basic);
    copy(3);
    while (!at_end()) {
      const size_t count = text_[at_] == delimiter ? delimiters(delimiter) : 0;
      if (count > 0) copy(count);
      if (count >= 3) return true;
      if (count > 0) continue;
      if (basic && text_[at_] == '\\') {
        copy_escape();
      } else {
        copy(1);
      }
    }
    return false;
  }

  bool copy_line_string(char delimiter, bool basic) {
    copy(1);
    while (!at_end()) {
      const char c = text_[at_];
      copy(1);
      if (c == delimiter) return true;
      if (c == '\n') return false;
      if (basic && c == '\\' && !at_end()) copy(1);
    }
    return false;
  }

  // A backslash in a """ string, the blanks that it swallows, and what follows them.
  void copy_escape() {
    copy(1);
    if (at_end()) return;
    if (!is_ascii(text_[at_])) refuse_at(text_, at_, path_, "unknown escape sequence");
    if (!is_blank(text_[at_])) return copy(1);
    while (!at_end() && is_blank(text_[at_])) copy(1);
    if (at_end() || is_ascii(text_[at_])) return;
    const size_t length = character_length(text_[at_]);
    out_ += escape_of(text_.substr(at_, length));
    at_ += length;
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
  size_t start_ = 0;  // after a byte order mark
  std::string out_;
};

}  // namespace

std::string guard_toml(std::string_view text, const std::string& path) {
  const size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string_view::npos) {
    refuse_at(text, invalid, path, "expected UTF-8, found an invalid byte");
  }
  return Guard(text, path).run();
}

}  // namespace attend::core::detail
