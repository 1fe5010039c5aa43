// Sentence pairs from files: one file in two or three columns (manythings, Tatoeba), or two files
// line by line. Plain, gzip and ZIP are told apart by their first bytes, not by their names.
//
// Nothing is dropped in silence: a line that gives no pair, or was mended, is in the Report with
// its number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/data/columns.h"
#include "attend/data/config.h"
#include "attend/data/line_tally.h"

namespace attend::data {

/// Valid UTF-8, otherwise as in the file (case, blanks and punctuation are the text pipeline's).
struct Pair {
  std::string source;
  std::string target;
  int64_t line = 0;  ///< in its file, from 1
};

/// What was read and what became of it.
struct Report {
  int64_t lines = 0;       ///< in the file (in each of the two files)
  int64_t kept = 0;        ///< pairs handed on, after limit and sample
  LineTally one_column;    ///< no tab, or fewer columns than were asked for: left out
  LineTally blank_line;    ///< nothing but blanks: left out
  LineTally blank_side;    ///< one side has nothing but blanks: left out
  LineTally header;        ///< the first line, where it names the columns: left out
  LineTally mended;        ///< invalid UTF-8, replaced by U+FFFD: kept
  LineTally more_columns;  ///< beyond three: kept, the rest of the line is ignored
  LineTally inner_cr;      ///< a CR inside a sentence, taken for a blank: kept
  LineTally quoted;        ///< cells quoted as spreadsheets do, the quotes taken for text: kept
  int64_t not_taken = 0;   ///< usable lines beyond `limit`, or not drawn by `sample`
  std::string numbers;     ///< that a side is a number on every line, in words; else ""
  int64_t columns = 2;     ///< a line needs so many

  int64_t left_out() const {
    return one_column.count + blank_line.count + blank_side.count + header.count;
  }
  /// Whether anything is not as in a good file: text() then says more than numbers of lines.
  bool has_news() const {
    return left_out() + mended.count + more_columns.count + inner_cr.count + quoted.count > 0 ||
           !numbers.empty();
  }
  /// A sentence for the log: "kept 98 of 100 lines; left out 2: a blank side 1 (line 7), ...".
  std::string text() const;
};

struct Corpus {
  std::vector<Pair> pairs;  ///< in the order of the file
  Report report;
};

struct ReadOptions {
  int64_t limit = 0;  ///< the first N usable pairs; 0: all
  int64_t sample =
      0;  ///< N of those, drawn by `seed`, in the order of the file; 0, or N >= all: all
  uint64_t seed = 0;  ///< for `sample` only
  bool swap = false;  ///< the second column is the source
  /// None: the first two, unless one of them is a number on every line (10 or more of them) and
  /// there are further columns: then the file is refused, for those are ids.
  std::optional<Columns> columns = std::nullopt;
  /// What pairs_text() wrote: no line is a header, and a number is what the pair has.
  bool is_ours = false;
};

/// Columns are separated by a tab: source, target, and a third that is ignored (attribution); or
/// those that are asked for. "-" is standard input. Throws DataError: missing, empty, binary (a NUL
/// byte; known formats and UTF-16 are named), damaged archive, or not one line with two columns or
/// without a pair left.
Corpus read_pairs(const std::string& path, const ReadOptions& options = {});

/// Line n of one file with line n of the other. Also throws DataError when the numbers of lines
/// differ (both are in the message). A line that is blank on both sides is left out and counted.
Corpus read_parallel(const std::string& source_path, const std::string& target_path,
                     const ReadOptions& options = {});

/// The same from bytes (inflated or not); `path` is for messages.
Corpus parse_pairs(std::string_view bytes, const std::string& path,
                   const ReadOptions& options = {});
Corpus parse_parallel(std::string_view source, const std::string& source_path,
                      std::string_view target, const std::string& target_path,
                      const ReadOptions& options = {});

/// The pairs as a file in two columns, which read_pairs reads back, told that `is_ours`; `swap` as
/// there. A tab, CR or LF inside a sentence becomes a blank, which is what text::clean_line makes
/// of it: to a model they are the same pairs.
std::string pairs_text(const std::vector<Pair>& pairs, bool swap = false);

/// Whether a configuration names its files as read_training() and read_validation() take them;
/// reads none. Throws InvalidArgument as they do.
void check_sources(const DataConfig& config);

/// The training pairs that a configuration names: `pairs`, or `source` and `target`; with its
/// limit, sample and reverse. Throws InvalidArgument when it names none, both, or one of two.
Corpus read_training(const DataConfig& config, uint64_t seed);
/// The held-out pairs (valid_pairs, or valid_source and valid_target), whole; empty when it names
/// none. `reverse` counts here too. Throws as above.
Corpus read_validation(const DataConfig& config);

/// A text file's lines, for translate: inflated, BOM and CR gone, UTF-8 mended and reported. Unlike
/// a corpus it may be empty and may have blank lines.
struct Lines {
  std::vector<std::string> lines;
  LineTally mended;
};
Lines read_text_lines(const std::string& path);
Lines parse_text_lines(std::string_view bytes, const std::string& path);

}  // namespace attend::data
