#include "attend/metrics/tokenise.h"

#include <array>
#include <utility>

#include "attend/core/errors.h"
#include "attend/metrics/tokenise_rules.h"
#include "attend/metrics/unicode.h"

namespace attend::metrics {
namespace {

constexpr std::array<std::pair<std::string_view, Tokenizer>, 5> kTokenizers = {
    {{"none", Tokenizer::kNone},
     {"13a", Tokenizer::k13a},
     {"intl", Tokenizer::kIntl},
     {"zh", Tokenizer::kZh},
     {"char", Tokenizer::kChar}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kRefused = {
    {{"ja-mecab", "needs the MeCab dictionary for Japanese"},
     {"ko-mecab", "needs the MeCab dictionary for Korean"},
     {"spm", "needs a SentencePiece model that sacreBLEU downloads"},
     {"flores101", "needs a SentencePiece model that sacreBLEU downloads"},
     {"flores200", "needs a SentencePiece model that sacreBLEU downloads"},
     {"spBLEU-1K", "needs a SentencePiece model that sacreBLEU downloads"}}};

}  // namespace

Tokenizer parse_tokenizer(std::string_view name) {
  for (const auto& [known, tokenizer] : kTokenizers) {
    if (known == name) return tokenizer;
  }
  std::string problem = "is unknown";
  for (const auto& [known, reason] : kRefused) {
    if (known == name) problem = std::string(reason) + " and is not part of attend";
  }
  throw InvalidArgument("[bleu] expected tokenizer none, 13a, intl, zh or char, found '" +
                        std::string(name) + "', which " + problem);
}

std::string_view tokenizer_name(Tokenizer tokenizer) {
  for (const auto& [name, known] : kTokenizers) {
    if (known == tokenizer) return name;
  }
  throw InternalError("[bleu] a tokenizer without a name");
}

std::u32string tokenise_points(Tokenizer tokenizer, std::u32string_view line) {
  switch (tokenizer) {
    case Tokenizer::kNone:
      return std::u32string(line);
    case Tokenizer::k13a:
      return tokenise_13a(line);
    case Tokenizer::kIntl:
      return tokenise_intl(line);
    case Tokenizer::kZh:
      return tokenise_zh(line);
    case Tokenizer::kChar:
      return tokenise_char(line);
  }
  throw InternalError("[bleu] an unknown tokenizer");
}

std::u32string tokenise_char(std::u32string_view line) {
  std::u32string out;
  out.reserve(line.size() * 2);
  for (const char32_t c : line) {
    if (!out.empty()) out += U' ';
    out += c;
  }
  return out;
}

std::string tokenise(Tokenizer tokenizer, std::string_view line) {
  return encode(tokenise_points(tokenizer, decode(line)));
}

}  // namespace attend::metrics
