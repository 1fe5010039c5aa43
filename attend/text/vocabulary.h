// Tokens and their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attend::text {

/// The ids of the marks. The chapter's order is the default; a SentencePiece model brings its own.
struct SpecialIds {
  int32_t unknown = 0;
  int32_t padding = 1;
  int32_t begin = 2;
  int32_t end = 3;
};

class Vocabulary {
 public:
  struct Options {
    int64_t min_frequency = 1;  ///< rarer tokens become unknown
    int64_t max_size = 0;       ///< specials included; 0: no limit
  };

  Vocabulary() = default;
  /// Counts tokens; the order is falling frequency, ties by bytes.
  static Vocabulary build(const std::vector<std::vector<std::string>>& sentences,
                          const Options& options);
  /// One token a line, escaped (\\t, \\n, \\xNN, \\\\) so that control characters survive; the line's number
  /// from 0 is the id. `path` is for messages. Throws DataError.
  static Vocabulary parse(const std::string& text, const std::string& path);
  std::string serialize() const;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  int32_t id(std::string_view token) const;  ///< the unknown id when absent
  bool contains(std::string_view token) const;
  const std::string& token(int32_t id) const;  ///< throws InvalidArgument out of range
  const SpecialIds& special() const { return special_; }

 private:
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t> ids_;
  SpecialIds special_;
};

}  // namespace attend::text
