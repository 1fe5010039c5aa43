// Text with a number in each cell, cut into rows: what map_from_csv() reads from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attend::render {

struct CsvCell {
  std::string text;
  bool quoted = false;
};

struct CsvRow {
  std::vector<CsvCell> cells;
  int64_t line = 0;  ///< where it begins, from 1
};

/// Without blanks and tabs at either end.
std::string_view trim_blanks(std::string_view text);

/// Rows of cells, as RFC 4180 has it; with ' ' as separator any run of blanks and tabs parts two
/// cells. Blank lines are left out, and so are comments: lines that begin with '#', unless
/// something other than a blank follows it and they are as wide as the others ("##ing" may be a
/// label). Lines end with LF or CRLF, or with CR where there is no LF at all. Throws DataError for
/// an open quote and for text after a closing one.
std::vector<CsvRow> split_rows(std::string_view bytes, char separator, const std::string& path);

/// The separator among tab, ';', ',' and ' ' that makes the most numbers of the first lines.
char guess_separator(std::string_view bytes);

/// Whether "0,5" is a number, as it is where no comma parts the cells.
enum class Comma { kSeparates, kIsPoint };

struct CsvNumber {
  enum class Kind { kNumber, kTooLarge, kText } kind = Kind::kText;
  float value = 0;
};

/// A cell as a number; "nan" and "inf" are numbers. Too small for a float is 0; kTooLarge has more
/// than a float holds, as 1e999 has. A quoted cell is text.
CsvNumber parse_number(const CsvCell& cell, Comma comma);

}  // namespace attend::render
