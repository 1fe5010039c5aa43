#include "attend/core/utf8.h"

#include <cstring>

namespace attend::core {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Step {
  char32_t code_point;  // kReplacement where not valid
  size_t length;        // bytes taken: a whole character, or a maximal invalid sequence
  bool valid;
};

// The table of well-formed sequences, Unicode 15, section 3.9, table 3-7. The second byte's range
// is narrower after E0, ED, F0 and F4: that is what refuses overlong forms and surrogates.
Step decode_one(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  char32_t code_point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code_point = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    code_point = lead & 0x0Fu;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code_point = lead & 0x07u;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {kReplacement, 1, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) {
      return {kReplacement, i, false};
    }
    code_point = (code_point << 6) | (byte(at + i) & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, length, true};
}

// Corpora are mostly ASCII: eight bytes at a time.
size_t skip_ascii(std::string_view text, size_t at) {
  while (at + 8 <= text.size()) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    if (word & 0x8080808080808080ull) break;
    at += 8;
  }
  return at;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  size_t at = skip_ascii(text, 0);
  while (at < text.size()) {
    const Step step = decode_one(text, at);
    if (!step.valid) return at;
    at += step.length;
    if (step.length == 1) at = skip_ascii(text, at);
  }
  return std::string_view::npos;
}

std::string mend_utf8(std::string_view text) {
  size_t from = 0;
  std::string mended;
  mended.reserve(text.size());
  while (true) {
    const std::string_view rest = text.substr(from);
    const size_t bad = find_invalid_utf8(rest);
    mended += rest.substr(0, bad);
    if (bad == std::string_view::npos) return mended;
    append_utf8(mended, kReplacement);
    from += bad + decode_one(rest, bad).length;
  }
}

std::vector<char32_t> decode_utf8(std::string_view text) {
  std::vector<char32_t> code_points;
  code_points.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Step step = decode_one(text, at);
    code_points.push_back(step.code_point);
    at += step.length;
  }
  return code_points;
}

void append_utf8(std::string& out, char32_t code_point) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (surrogate || code_point > 0x10FFFF) code_point = kReplacement;
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto tail = [&](int shift) { put(0x80u | ((code_point >> shift) & 0x3Fu)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0u | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0u | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    put(0xF0u | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != std::string_view::npos && !line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace attend::core
