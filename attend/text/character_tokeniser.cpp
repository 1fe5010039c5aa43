#include "attend/core/utf8.h"
#include "attend/text/tokeniser.h"

namespace attend::text {
namespace {

constexpr char32_t kVisibleBlank = 0x2581;

class CharacterTokeniser final : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view clean) const override {
    std::vector<std::string> tokens;
    tokens.reserve(clean.size());
    for (const char32_t c : core::decode_utf8(clean)) {
      std::string token;
      core::append_utf8(token, c == ' ' ? kVisibleBlank : c);
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    static constexpr std::string_view kBlank = "\u2581";
    std::string out;
    for (const std::string& token : tokens) {
      if (token == kBlank) {
        out += ' ';
      } else {
        out += token;
      }
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Tokeniser> make_character_tokeniser() {
  return std::make_unique<CharacterTokeniser>();
}

}  // namespace attend::text
