// Tokens and their numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attend::text {

/// The ids of the marks. The chapter's order is the default; a SentencePiece model brings its own,
/// and its padding may be -1 (none: nothing here pads).
struct SpecialIds {
  int32_t unknown = 0;
  int32_t padding = 1;
  int32_t begin = 2;
  int32_t end = 3;
};

/// How often each token occurs.
using TokenCounts = std::unordered_map<std::string, int64_t>;

/// The marks `<unk> <pad> <bos> <eos>` have the ids 0 to 3, the tokens of the text those from 4 on.
/// A word of the text that is written as a mark is no mark: it has an entry of its own, or is
/// unknown, so that no input can forge one.
class Vocabulary {
 public:
  struct Options {
    int64_t min_frequency = 1;  ///< rarer tokens become unknown
    int64_t max_size = 0;       ///< specials included; 0: no limit
  };

  /// The four marks alone.
  Vocabulary();
  /// Counts tokens; the order is falling frequency, ties by bytes. Tokens are non-empty valid
  /// UTF-8. Throws InvalidArgument for other tokens, for min_frequency < 1 and for 0 < max_size
  /// < 5.
  static Vocabulary build(const std::vector<std::vector<std::string>>& sentences,
                          const Options& options);
  static Vocabulary build(const TokenCounts& counts, const Options& options);
  /// One token a line, escaped (`\t`, `\n`, `\xNN`, `\\`) so that control characters, blanks and
  /// other line ends survive; the line's number from 0 is the id. A word that is written as a mark
  /// has its first character escaped: `\x3Ceos>`. `path` is for messages. Throws DataError, with
  /// the line: a mark not at its place, a token twice, an empty line, a bad escape, invalid UTF-8.
  static Vocabulary parse(const std::string& text, const std::string& path);
  std::string serialize() const;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  int32_t id(std::string_view token) const;  ///< of the text; the unknown id when absent
  bool contains(std::string_view token) const;
  const std::string& token(int32_t id) const;  ///< throws InvalidArgument out of range
  const SpecialIds& special() const { return special_; }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;  // without the marks
  SpecialIds special_;
};

}  // namespace attend::text
