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
  /// The text that a token of tokens() or token() stands for, without blanks around it.
  virtual std::string surface(std::string_view token) const = 0;
  virtual bool knows(std::string_view token) const = 0;
  virtual int64_t size() const = 0;
  virtual const SpecialIds& special() const = 0;
  /// What save() writes.
  virtual std::string bytes() const = 0;
};

std::unique_ptr<Codec> make_vocabulary_codec(std::unique_ptr<Tokeniser> tokeniser,
                                             Vocabulary vocabulary);

/// From the bytes of a model; `path` is for messages. Throws DataError when it is damaged or lacks
/// a mark for unknown, begin or end; padding may be missing. With version 1 a U+2581 of the text is
/// a blank.
std::unique_ptr<Codec> load_sentencepiece(std::string bytes, const std::string& path,
                                          TextVersion version = TextVersion::kPresent);

struct PieceOptions {
  int64_t size = 0;     ///< the most pieces, the four marks included; small texts give fewer
  double coverage = 0;  ///< share of the text's characters that get a piece, 0.98 to 1; 0: 1 where
                        ///< up to 1000 characters fill up to half of `size`, else 0.9995
  std::string side = "text";  ///< "source", "target": for messages
};

/// Trains a unigram model (Kudo 2018) on cleaned lines, all of them, and gives its bytes: equal
/// lines, equal bytes. Marks have the chapter's ids; the text is not normalised (no NFKC: what goes
/// in comes out). Takes minutes for millions of lines. Throws InvalidArgument, naming the keys of
/// [text] and the least size.
std::string train_sentencepiece(const std::vector<std::string>& clean_lines,
                                const PieceOptions& options);

}  // namespace attend::text
