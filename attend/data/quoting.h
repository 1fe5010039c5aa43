// Cells in quotes, as spreadsheets write them: with line feeds inside, or with quotes doubled.
#pragma once

#include <cstdint>
#include <string_view>

namespace attend::data {

/// Whether a cell of the line is in quotes with doubled quotes inside.
bool holds_doubled_quotes(std::string_view line);

/// Lines are given in order. Quotation marks around a sentence, or around two of them, are ordinary
/// text: what is looked for is a quote that begins and ends on lines that lack columns, and "a
/// ""doubled"" one".
class QuoteWatch {
 public:
  /// The line that a quoted cell begins on which ends on this one, after a line feed; the line
  /// itself for a cell in quotes with doubled quotes inside; 0 where there is neither.
  int64_t add(std::string_view line, int64_t number);

 private:
  int64_t open_ = 0;          // the line with an open quote, 0: none
  int64_t open_columns_ = 0;  // that it has
  int64_t most_columns_ = 0;  // of any line so far
};

}  // namespace attend::data
