// The columns of a file of pairs: which of them hold source and target, and what gives away that
// they hold something else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attend::data {

/// From 1.
struct Columns {
  int64_t source = 1;
  int64_t target = 2;
  int64_t needed() const { return source > target ? source : target; }
};

/// "2,4": source and target. "" gives none, which is the first two, unless they are no sentences.
/// Throws InvalidArgument for anything else, for equal ones and numbers out of 1 to 1000.
std::optional<Columns> parse_columns(std::string_view text);

/// The cells of a line, which tabs separate.
struct Cells {
  std::string_view source;
  std::string_view target;
  int64_t columns = 0;  ///< that the line has
};

/// None when the line has fewer columns than are needed.
std::optional<Cells> cut_columns(std::string_view line, const Columns& columns);

/// Whether two cells name what stands below them: "english" and "french", "source" and "target".
bool is_header(std::string_view source, std::string_view target);

/// Whether a file's first pair is a header: it is one, and the second, if there is any, is none
/// (else it is a list of languages).
class HeaderWatch {
 public:
  /// The first two pairs, from the top.
  void add(std::string_view source, std::string_view target);
  bool wants_more() const { return pairs_ < 2; }
  bool found() const { return headers_ == 1 && first_is_; }

 private:
  int64_t pairs_ = 0;
  int64_t headers_ = 0;
  bool first_is_ = false;
};

/// The same of two files, line by line.
bool has_header(std::string_view source, std::string_view target);

/// Looks for numbers where sentences are expected: an all-number column holds ids, most likely.
class NumberWatch {
 public:
  static constexpr int64_t kFewPairs = 10;  ///< below so many, numbers may be by chance

  void add(std::string_view source, std::string_view target, int64_t columns, int64_t line);

  bool source_is_numbers() const { return pairs_ >= kFewPairs && source_; }
  bool target_is_numbers() const { return pairs_ >= kFewPairs && target_; }
  /// One side is numbers only, and all lines have further columns, so that the sentences are there.
  bool are_ids() const {
    return (source_is_numbers() != target_is_numbers()) && least_columns_ > 2;
  }
  /// "the source is a number on every line (1276 on line 1)"; "" when neither is.
  std::string text() const;

 private:
  int64_t pairs_ = 0;
  int64_t least_columns_ = 0;
  bool source_ = true;
  bool target_ = true;
  std::string first_source_, first_target_;
  int64_t first_line_ = 0;
};

/// The first two columns of the text that are not numbers on all of its lines (the first thousand
/// are looked at), as --columns takes them: "2,4"; "" when there are no two.
std::string suggest_columns(std::string_view text);

}  // namespace attend::data
