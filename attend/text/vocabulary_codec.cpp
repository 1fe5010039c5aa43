#include <utility>

#include "attend/core/errors.h"
#include "attend/text/codec.h"

namespace attend::text {
namespace {

class VocabularyCodec final : public Codec {
 public:
  VocabularyCodec(std::unique_ptr<Tokeniser> tokeniser, Vocabulary vocabulary)
      : tokeniser_(std::move(tokeniser)), vocabulary_(std::move(vocabulary)) {}

  std::vector<std::string> tokens(std::string_view clean) const override {
    return tokeniser_->split(clean);
  }

  std::vector<int32_t> encode(std::string_view clean,
                              std::vector<std::string>* tokens) const override {
    std::vector<std::string> split = tokeniser_->split(clean);
    std::vector<int32_t> ids;
    ids.reserve(split.size() + 1);  // one more for an end mark
    for (const std::string& token : split) ids.push_back(vocabulary_.id(token));
    if (tokens != nullptr) *tokens = std::move(split);
    return ids;
  }

  std::string decode(const std::vector<int32_t>& ids) const override {
    return decode_with(ids, {});
  }

  std::string decode_with(const std::vector<int32_t>& ids,
                          const std::vector<std::string>& words) const override {
    const SpecialIds& special = vocabulary_.special();
    std::vector<std::string> tokens;
    auto word = words.begin();
    for (const int32_t id : ids) {
      if (id == special.padding || id == special.begin || id == special.end) continue;
      const bool given = id == special.unknown && word != words.end();
      tokens.push_back(given ? *word++ : vocabulary_.token(id));
    }
    return tokeniser_->join(tokens);
  }

  std::string token(int32_t id) const override { return vocabulary_.token(id); }
  std::string surface(std::string_view token) const override { return tokeniser_->surface(token); }
  bool knows(std::string_view token) const override { return vocabulary_.contains(token); }
  int64_t size() const override { return vocabulary_.size(); }
  const SpecialIds& special() const override { return vocabulary_.special(); }
  std::string bytes() const override { return vocabulary_.serialize(); }

 private:
  std::unique_ptr<Tokeniser> tokeniser_;
  Vocabulary vocabulary_;
};

}  // namespace

std::string Codec::decode_with(const std::vector<int32_t>&, const std::vector<std::string>&) const {
  throw InternalError("[text] words in place of unknown ids, where tokens are no words");
}

std::unique_ptr<Codec> make_vocabulary_codec(std::unique_ptr<Tokeniser> tokeniser,
                                             Vocabulary vocabulary) {
  return std::make_unique<VocabularyCodec>(std::move(tokeniser), std::move(vocabulary));
}

}  // namespace attend::text
