#include "attend/core/utf8.h"
#include "attend/text/clusters.h"
#include "attend/text/tokeniser.h"

namespace attend::text {
namespace {

class CharacterTokeniser final : public Tokeniser {
 public:
  explicit CharacterTokeniser(bool clusters) : clusters_(clusters) {}

  std::vector<std::string> split(std::string_view clean) const override {
    const std::vector<char32_t> text = core::decode_utf8(clean);
    const std::vector<uint8_t> starts =
        clusters_ ? cluster_starts(text) : std::vector<uint8_t>(text.size(), 1);
    std::vector<std::string> tokens;
    tokens.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
      if (starts[i] != 0) tokens.emplace_back();
      if (text[i] == ' ')
        tokens.back() += kBlankMarkText;
      else if (text[i] == kBlankMark && clusters_)
        tokens.back() += kSpelledBlankMark;
      else
        core::append_utf8(tokens.back(), text[i]);
    }
    return tokens;
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    std::string out;
    for (const std::string& token : tokens) out += surface(token);
    return out;
  }

  std::string surface(std::string_view token) const override {
    if (token.starts_with(kBlankMarkText))
      return std::string(" ").append(token.substr(kBlankMarkText.size()));
    if (clusters_ && token.starts_with(kSpelledBlankMark))
      return std::string(kBlankMarkText).append(token.substr(kSpelledBlankMark.size()));
    return std::string(token);
  }

 private:
  bool clusters_;
};

}  // namespace

std::unique_ptr<Tokeniser> make_character_tokeniser(TextVersion version) {
  return std::make_unique<CharacterTokeniser>(version != TextVersion::kFirst);
}

}  // namespace attend::text
