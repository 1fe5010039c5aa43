// Mending gives valid text and changes none that is valid; lines lose nothing but their ends.
#include <algorithm>

#include "attend/core/utf8.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace attend;
  const std::string_view text = fuzz::text_of(data, size);
  const size_t invalid = core::find_invalid_utf8(text);
  const std::string mended = core::mend_utf8(text);
  fuzz::require(core::find_invalid_utf8(mended) == std::string::npos);
  fuzz::require((invalid == std::string::npos) == (mended == text));
  fuzz::require(mended.compare(0, std::min(invalid, size), text.substr(0, invalid)) == 0);

  std::string encoded;
  for (const char32_t code_point : core::decode_utf8(text)) core::append_utf8(encoded, code_point);
  fuzz::require(encoded == mended);

  std::string joined;
  for (const auto& line : core::split_lines(text)) joined += line + '\n';
  std::string expected;
  for (size_t i = 0; i < size; ++i) {
    const bool goes = text[i] == '\r' && i + 1 < size && text[i + 1] == '\n';
    if (!goes) expected += text[i];
  }
  if (!text.empty() && text.back() != '\n') expected += '\n';
  fuzz::require(joined == expected);
  return 0;
}
