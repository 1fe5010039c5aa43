#include "attend/text/tokeniser.h"

namespace attend::text {
namespace {

class SpaceTokeniser final : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view clean) const override {
    std::vector<std::string> tokens;
    size_t begin = 0;
    while (begin < clean.size()) {
      const size_t end = std::min(clean.find(' ', begin), clean.size());
      if (end > begin) tokens.emplace_back(clean.substr(begin, end - begin));
      begin = end + 1;
    }
    return tokens;
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    std::string out;
    for (const std::string& token : tokens) {
      if (!out.empty()) out += ' ';
      out += token;
    }
    return out;
  }

  std::string surface(std::string_view token) const override { return std::string(token); }
};

}  // namespace

std::unique_ptr<Tokeniser> make_space_tokeniser() { return std::make_unique<SpaceTokeniser>(); }

}  // namespace attend::text
