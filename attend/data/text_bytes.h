// A text file's bytes whatever it is packed in, and its lines as views.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend::data {

/// The path that means standard input.
inline constexpr std::string_view kStandardInput = "-";

/// What messages call it: "standard input", else the path itself.
std::string shown_path(const std::string& path);

/// What gzip, ZIP or tar holds (told by the first bytes, also one within another), else `bytes`
/// itself. Of an archive: its one text (.txt or .tsv), or its one file; not manythings' _about.txt.
/// Throws DataError when it is damaged, or holds no file or several, which are listed.
std::string unpack(std::string bytes, const std::string& path);

/// The file, or standard input, unpacked. Also throws DataError, before the rest is read, for what
/// is of a known format and no text.
std::string read_text_bytes(const std::string& path);

/// A byte order mark of UTF-16 or UTF-32 at the start.
bool looks_like_utf16(std::string_view bytes);

/// Throws DataError for NUL bytes (binary), naming UTF-16 and UTF-32 where the start looks so.
void check_is_text(std::string_view bytes, const std::string& path);

/// Whether CR ends the lines: there is one, and no LF. So did old Macintosh programs write, and
/// some spreadsheets do.
bool ends_lines_by_cr(std::string_view text);

/// The lines of core::split_lines, without copies, and without a byte order mark on the first.
/// Where ends_lines_by_cr(), CR ends a line.
class LineWalker {
 public:
  explicit LineWalker(std::string_view text);
  /// False at the end.
  bool next(std::string_view& line);
  int64_t number() const { return number_; }  ///< of the last line given, from 1

 private:
  std::string_view rest_;
  char end_;
  int64_t number_ = 0;
};

int64_t count_lines(std::string_view text);

}  // namespace attend::data
