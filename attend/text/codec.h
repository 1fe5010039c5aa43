// Cleaned text to ids and back: what a Pipeline has under it. Two kinds: a tokeniser with a
// vocabulary, and a SentencePiece model. An implementation detail of Pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/tokeniser.h"
#include "attend/text/vocabulary.h"

namespace attend::text {

/// Const and safe from many threads.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::vector<std::string> tokens(std::string_view clean) const = 0;
  /// `tokens`, unless null, receives what tokens() gives.
  virtual std::vector<int32_t> encode(std::string_view clean,
                                      std::vector<std::string>* tokens = nullptr) const = 0;
  /// Marks left out; the unknown one is written `<unk>`. Throws InvalidArgument for an id out of
  /// range.
  virtual std::string decode(const std::vector<int32_t>& ids) const = 0;
  /// decode() with `words`, one an unknown id, in their place; for codecs whose tokens are words.
  virtual std::string decode_with(const std::vector<int32_t>& ids,
                                  const std::vector<std::string>& words) const;
  virtual std::string token(int32_t id) const = 0;
  virtual bool knows(std::string_view token) const = 0;
  virtual int64_t size() const = 0;
  virtual const SpecialIds& special() const = 0;
  /// What save() writes.
  virtual std::string bytes() const = 0;
};

std::unique_ptr<Codec> make_vocabulary_codec(std::unique_ptr<Tokeniser> tokeniser,
                                             Vocabulary vocabulary);

/// From the bytes of a model; `path` is for messages. Throws DataError when it is damaged or lacks
/// a mark for unknown, begin or end; padding may be missing.
std::unique_ptr<Codec> load_sentencepiece(std::string bytes, const std::string& path);

/// Trains a unigram model (Kudo 2018) on cleaned lines and gives its bytes: equal lines, equal
/// bytes. Marks have the chapter's ids; the text is not normalised (no NFKC: what goes in comes
/// out); rare characters (0.05 % of the text) become unknown. `size` is an upper bound: small texts
/// give fewer pieces. Throws InvalidArgument with SentencePiece's reason.
std::string train_sentencepiece(const std::vector<std::string>& clean_lines, int64_t size);

}  // namespace attend::text
