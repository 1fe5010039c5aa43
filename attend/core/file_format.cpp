#include "attend/core/file_format.h"

#include <algorithm>
#include <array>

#include "attend/core/errors.h"
#include "attend/core/files.h"

namespace attend::core {
namespace {

using std::literals::string_view_literals::operator""sv;

struct Mark {
  size_t at;
  std::string_view bytes;
  FileFormat format;
};

constexpr size_t kFewBytes = 4096;
constexpr const char* kUnpack = "unpack it first";
constexpr const char* kExport = "save it as tab-separated text in UTF-8";
constexpr const char* kOther = "name a text file";

// The longer mark first where one begins as another does.
constexpr std::array kMarks = {
    Mark{0, "\x1f\x8b"sv, {"a gzip file", kUnpack, false}},
    Mark{4, "1AY&SY"sv, {"a bzip2 file", "unpack it with bunzip2", false}},
    Mark{0,
         "\xfd"
         "7zXZ\0"sv,
         {"an xz file", "unpack it with unxz", false}},
    Mark{0, "\x28\xb5\x2f\xfd"sv, {"a Zstandard file", "unpack it with unzstd", false}},
    Mark{0, "\x04\x22\x4d\x18"sv, {"an LZ4 file", "unpack it with unlz4", false}},
    Mark{0, "\x1f\x9d"sv, {"a compress (.Z) file", "unpack it with uncompress", false}},
    Mark{0, "7z\xbc\xaf\x27\x1c"sv, {"a 7z archive", kUnpack, false}},
    Mark{0, "Rar!\x1a\x07"sv, {"a RAR archive", kUnpack, false}},
    Mark{257, "ustar"sv, {"a tar archive", "unpack it with tar -xf", false}},
    Mark{0, "PK\x03\x04"sv, {"a ZIP archive", kUnpack, false}},
    Mark{0, "PK\x05\x06"sv, {"an empty ZIP archive", kOther, false}},
    Mark{0,
         "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,
         {"an old Office file (.xls, .doc)", kExport, false}},
    Mark{0, "%PDF-"sv, {"a PDF document", kOther, false}},
    Mark{0, "{\\rtf"sv, {"a rich text (RTF) document", kExport, false}},
    Mark{0, "\x89PNG\r\n"sv, {"a PNG picture", kOther, false}},
    Mark{0, "\xff\xd8\xff"sv, {"a JPEG picture", kOther, false}},
    Mark{0, "GIF89a"sv, {"a GIF picture", kOther, false}},
    Mark{0, "SQLite format 3\0"sv, {"an SQLite database", kExport, false}},
    Mark{0, "PAR1"sv, {"a Parquet table", kExport, false}},
    Mark{0, "ARROW1\0"sv, {"an Arrow table", kExport, false}},
    Mark{0, "FEA1"sv, {"a Feather table", kExport, false}},
    Mark{0, "\x89HDF\r\n"sv, {"an HDF5 file", kOther, false}},
    Mark{0, "\x93NUMPY"sv, {"a NumPy array", kOther, false}},
    Mark{0, "GGUF"sv, {"a GGUF model", kOther, false}},
    Mark{0,
         "\x7f"
         "ELF"sv,
         {"a program", kOther, false}},
    Mark{0, "MZ\x90\0"sv, {"a Windows program", kOther, false}},
    Mark{0, "\x80\x02"sv, {"a Python pickle", kOther, false}},
    Mark{0, "\x80\x03"sv, {"a Python pickle", kOther, false}},
    Mark{0, "\x80\x04\x95"sv, {"a Python pickle", kOther, false}},
    Mark{0, "\x80\x05\x95"sv, {"a Python pickle", kOther, false}},
    Mark{0,
         "version https://git-lfs.github.com/spec/"sv,
         {"a pointer of Git LFS, not the file itself", "fetch it with git lfs pull", true}},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool starts_as(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(),
                    [](char a, char b) { return a == lower(b); });
}

// Comments, blanks and a byte order mark may stand before.
bool is_html(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  if (!head.starts_with('<')) return false;
  for (const std::string_view tag : {"<!doctype html", "<html", "<head>", "<body"})
    if (starts_as(head, tag)) return true;
  return false;
}

bool is_all_zero(std::string_view head) {
  return head.size() >= kFewBytes && head.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

std::optional<FileFormat> find_format(std::string_view head) {
  for (const Mark& mark : kMarks)
    if (head.size() > mark.at && head.substr(mark.at).starts_with(mark.bytes)) return mark.format;
  if (is_html(head))
    return FileFormat{"an HTML page", "a download may have given a page in place of the file",
                      true};
  return std::nullopt;
}

std::string format_text(std::string_view head) {
  const auto format = find_format(head);
  return format ? std::string("this is ") + format->name : "";
}

void check_text_head(std::string_view head, const std::string& path) {
  if (const auto format = find_format(head))
    throw DataError(path, std::string("this is ") + format->name +
                              ", and text was expected: " + format->advice);
  if (is_all_zero(head))
    throw DataError(path,
                    "holds nothing but zero bytes, at least at its start: a sparse file, or "
                    "one that a crash has damaged");
}

std::string read_text_file(const std::string& path) {
  const auto check = [&](std::string_view head, int64_t) {
    check_text_head(head, path);
    if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv))
      throw DataError(path, "this is UTF-16; UTF-8 was expected");
    if (head.find('\0') != std::string_view::npos)
      throw DataError(path, "a binary file (it has zero bytes); text was expected");
  };
  return read_file(path, {.check_head = check});
}

}  // namespace attend::core
