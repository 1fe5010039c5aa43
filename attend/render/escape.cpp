#include "attend/render/escape.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "attend/core/utf8.h"

namespace attend::render {
namespace {

bool is_noncharacter(char32_t c) { return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF); }

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : core::decode_utf8(text)) {
    switch (c) {
      case U'&':
        out += "&amp;";
        break;
      case U'<':
        out += "&lt;";
        break;
      case U'>':
        out += "&gt;";
        break;
      case U'"':
        out += "&quot;";
        break;
      case U'\'':
        out += "&#39;";
        break;
      case U'\t':
      case U'\n':
      case U'\r':
        out += ' ';
        break;
      default:
        core::append_utf8(out,
                          c < 0x20 || (c >= 0x7F && c < 0xA0) || is_noncharacter(c) ? 0xFFFD : c);
    }
  }
  return out;
}

std::string script_safe_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<' || c == '>' || c == '&') {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else if (json.substr(i).starts_with("\xE2\x80\xA8")) {
      out += "\\u2028";
      i += 2;
    } else if (json.substr(i).starts_with("\xE2\x80\xA9")) {
      out += "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace attend::render
