// A text file's bytes whatever it is packed in, and its lines as views.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend::data {

/// What gzip or ZIP holds (told by the first bytes), else `bytes` itself. Of an archive: its one
/// text (.txt, .tsv; not manythings' _about.txt). Throws DataError when it is damaged, or holds no
/// text or several.
std::string unpack(std::string bytes, const std::string& path);

/// unpack(read_file(path)).
std::string read_text_bytes(const std::string& path);

/// A byte order mark of UTF-16 or UTF-32 at the start.
bool looks_like_utf16(std::string_view bytes);

/// Throws DataError for NUL bytes (binary), naming UTF-16 and UTF-32 where the start looks so.
void check_is_text(std::string_view bytes, const std::string& path);

/// The lines of core::split_lines, without copies, and without a byte order mark on the first.
class LineWalker {
 public:
  explicit LineWalker(std::string_view text);
  /// False at the end.
  bool next(std::string_view& line);
  int64_t number() const { return number_; }  ///< of the last line given, from 1

 private:
  std::string_view rest_;
  int64_t number_ = 0;
};

int64_t count_lines(std::string_view text);

}  // namespace attend::data
