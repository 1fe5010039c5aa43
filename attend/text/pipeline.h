// The way of a line of text to ids and back, for one side of a translator. A model stores it, and
// translate, map and evaluate apply it, so that "I'm home." and "i'm home ." give the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/config.h"
#include "attend/text/vocabulary.h"

namespace attend::text {

enum class TokeniserKind { kSpace, kWord, kCharacter, kSentencePiece };

/// The [text] table.
struct TextConfig {
  bool lowercase = true;
  bool split_punctuation = true;  ///< a blank before , . ! ? (the chapter's rule); joined again on output
  TokeniserKind source_tokeniser = TokeniserKind::kSpace;
  TokeniserKind target_tokeniser = TokeniserKind::kSpace;
  int64_t min_frequency = 2;
  int64_t max_vocabulary = 0;  ///< entries, specials included; 0: no limit. SentencePiece: its size
};
core::ConfigTable describe(TextConfig& config);

/// Which side of a translator.
enum class Side { kSource, kTarget };

/// Const and safe from many threads.
class Pipeline {
 public:
  /// Builds the vocabulary (or trains the SentencePiece model) from raw lines.
  static Pipeline build(const TextConfig& config, Side side, const std::vector<std::string>& lines);
  /// From a model's folder: reads "source.vocab" / "target.vocab", or "source.spm" / "target.spm".
  static Pipeline load(const TextConfig& config, Side side, const std::string& folder);
  /// Writes the same files, atomically.
  void save(const std::string& folder) const;

  /// Cleaned text (UTF-8 mended, case, blanks, punctuation), before tokenising.
  std::string clean(std::string_view line) const;
  std::vector<std::string> tokens(std::string_view line) const;
  std::vector<int32_t> encode(std::string_view line) const;  ///< without marks; blank gives none
  std::vector<std::string> tokens_of(const std::vector<int32_t>& ids) const;
  /// Joined text, marks left out. Space tokeniser: tokens with one blank between, as the chapter
  /// writes them ("va !"); the other tokenisers undo their own splitting.
  std::string decode(const std::vector<int32_t>& ids) const;

  int64_t vocabulary_size() const;
  const SpecialIds& special() const;
  bool knows(std::string_view token) const;
  /// FNV-1a of the vocabulary file's bytes, in hex: stored with the weights.
  const std::string& hash() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend::text
