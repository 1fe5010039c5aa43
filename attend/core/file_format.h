// What a file is by its first bytes, for messages about one of another kind than was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attend::core {

struct FileFormat {
  const char* name;    ///< with its article: "an HTML page"
  const char* advice;  ///< what to do where text was expected: "save it as ..."; never empty
  bool is_text;        ///< of lines, so that only its purpose tells that it is the wrong file
};

/// The format that `head`, a file's first kHeadBytes or all of it, begins as; none for plain text,
/// for what is unknown, and for less than the mark of a format.
std::optional<FileFormat> find_format(std::string_view head);

/// "this is an HTML page", and where it is unknown or plain text "".
std::string format_text(std::string_view head);

/// Throws DataError when `head` begins a known binary format, or holds nothing but zero bytes (as
/// sparse files do). HTML is refused too; text in UTF-16 passes.
void check_text_head(std::string_view head, const std::string& path);

/// read_file() of a configuration or a list: refused by its start if that is no text. Also throws
/// DataError for UTF-16 and for any zero byte among the first.
std::string read_text_file(const std::string& path);

}  // namespace attend::core
