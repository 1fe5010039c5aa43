// The way of a line of text to ids and back, for one side of a translator. A model stores it, and
// translate, map and evaluate apply it, so that "I'm home." and "i'm home ." give the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/config.h"
#include "attend/text/clean.h"
#include "attend/text/vocabulary.h"

namespace attend::text {

enum class TokeniserKind { kSpace, kWord, kCharacter, kSentencePiece };

/// Of the rules that text is cut and joined by: the present one (see TextVersion).
inline constexpr int64_t kTextVersion = 2;

/// The [text] table.
struct TextConfig {
  bool lowercase = true;
  /// Space tokeniser only: a blank before , . ! ? (the chapter's rule). The other tokenisers split
  /// by themselves.
  bool split_punctuation = true;
  TokeniserKind source_tokeniser = TokeniserKind::kSpace;
  TokeniserKind target_tokeniser = TokeniserKind::kSpace;
  int64_t min_frequency = 2;
  /// Entries, specials included; 0: no limit. SentencePiece: the most pieces; 0: 8000.
  int64_t max_vocabulary = 0;
  /// SentencePiece: share of the text's characters that are kept, 0.98 to 1; 0: by the alphabet.
  double character_coverage = 0.0;
  std::string source_spm;  ///< file of a SentencePiece model to take, in place of training one
  std::string target_spm;
  int64_t version = kTextVersion;  ///< of the rules: a TextVersion
};
core::ConfigTable describe(TextConfig& config);

/// Throws InvalidArgument for a key that would have no effect, and names it: source_spm beside
/// another tokeniser, say. build() does so too; a model that is loaded is not asked.
void check_effects(const TextConfig& config);

/// What a model's folder means that says nothing of a version: before there were versions, it
/// was 1. To be read over by its config.toml.
TextConfig stored_defaults();

/// How lines are cleaned where the space tokeniser is to take them.
CleanOptions clean_options(const TextConfig& config);

/// Which side of a translator.
enum class Side { kSource, kTarget };

/// The file's name in a model's folder: "source.vocab", say.
std::string file_name(TokeniserKind kind, Side side);

/// A value: copies share one immutable state. Const and safe from many threads.
class Pipeline {
 public:
  /// Builds the vocabulary (or trains the SentencePiece model, or reads the one that the
  /// configuration names) from raw lines; cleans them itself. Throws InvalidArgument when no line
  /// has a token, and DataError.
  static Pipeline build(const TextConfig& config, Side side, const std::vector<std::string>& lines);
  /// From a model's folder: reads "source.vocab" / "target.vocab", or "source.spm" / "target.spm".
  /// Checks the file whole. Throws DataError (path, line).
  static Pipeline load(const TextConfig& config, Side side, const std::string& folder);
  /// Writes the same files, atomically.
  void save(const std::string& folder) const;

  /// Cleaned text (UTF-8 mended, case, blanks, punctuation), before tokenising.
  std::string clean(std::string_view line) const;
  std::vector<std::string> tokens(std::string_view line) const;
  /// Without marks; blank gives none. `tokens`, unless null, receives what tokens() gives.
  std::vector<int32_t> encode(std::string_view line,
                              std::vector<std::string>* tokens = nullptr) const;
  /// One token an id, marks included: for maps and --tokens. Throws InvalidArgument for ids out of
  /// range.
  std::vector<std::string> tokens_of(const std::vector<int32_t>& ids) const;
  /// Joined text, marks left out, unknown ones written `<unk>`. Space tokeniser: tokens with one
  /// blank between, as the chapter writes them ("va !"); the other tokenisers undo their own
  /// splitting.
  /// `words`, if not empty, stand in for the unknown ids, in order, as many as there are: for
  /// tokenisers whose tokens are words.
  std::string decode(const std::vector<int32_t>& ids,
                     const std::vector<std::string>& words = {}) const;

  /// The text that one of tokens() or tokens_of() stands for, without what it says of its
  /// neighbours: "‿." and "▁." give ".".
  std::string surface(std::string_view token) const;

  int64_t vocabulary_size() const;
  const SpecialIds& special() const;
  bool knows(std::string_view token) const;
  /// FNV-1a of the vocabulary file's bytes, in hex: stored with the weights.
  const std::string& hash() const;

  TokeniserKind tokeniser() const;

 private:
  struct Impl;
  explicit Pipeline(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend::text
