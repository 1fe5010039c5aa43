#include "attend/text/escape.h"

#include <utf8proc.h>

#include "attend/core/utf8.h"

namespace attend::text {
namespace {

constexpr char kHex[] = "0123456789ABCDEF";

bool needs_escape(char32_t c) {
  if (c < 0x80) return c <= 0x20 || c == 0x7F;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return false;
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string escape_token(std::string_view token) {
  std::string out;
  for (const char32_t c : core::decode_utf8(token)) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (!needs_escape(c)) {
      core::append_utf8(out, c);
    } else {
      std::string bytes;
      core::append_utf8(bytes, c);
      for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        out.append("\\x").append(1, kHex[value >> 4]).append(1, kHex[value & 15]);
      }
    }
  }
  return out;
}

bool unescape_token(std::string_view line, std::string& out) {
  out.clear();
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    if (++i == line.size()) return false;
    switch (line[i]) {
      case '\\':
        out += '\\';
        break;
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      case 'x': {
        if (i + 2 >= line.size()) return false;
        const int high = hex_digit(line[i + 1]);
        const int low = hex_digit(line[i + 2]);
        if (high < 0 || low < 0) return false;
        out += static_cast<char>(high * 16 + low);
        i += 2;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

}  // namespace attend::text
