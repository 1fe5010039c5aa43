#include "attend/data/text_bytes.h"

#include <algorithm>
#include <utility>

#include "attend/core/errors.h"
#include "attend/core/file_format.h"
#include "attend/core/files.h"
#include "attend/core/zip.h"
#include "attend/data/archive.h"

namespace attend::data {
namespace {

using std::literals::string_view_literals::operator""sv;

constexpr int kMostNested = 3;  // fra.txt in a tar in a gzip file

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv);
}

bool is_packed(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b"sv) || is_zip(bytes) || looks_like_tar(bytes);
}

}  // namespace

std::string unpack(std::string bytes, const std::string& path) {
  for (int depth = 0; is_packed(bytes); ++depth) {
    if (depth == kMostNested)
      throw DataError(path, "archives within archives: unpack it, and name the text");
    if (is_zip(bytes)) {
      bytes = text_of_zip(bytes, path);
    } else if (looks_like_tar(bytes)) {
      bytes = text_of_tar(bytes, path);
    } else {
      bytes = core::gunzip(bytes, path);
    }
  }
  return bytes;
}

std::string read_text_bytes(const std::string& path) {
  const auto check = [&](std::string_view head, int64_t) {
    if (!is_packed(head)) core::check_text_head(head, path);
  };
  if (path == kStandardInput) {
    std::string bytes = core::read_standard_input();
    check(std::string_view(bytes).substr(0, core::kHeadBytes), -1);
    return unpack(std::move(bytes), shown_path(path));
  }
  std::string bytes = unpack(core::read_file(path, {.check_head = check}), path);
  return bytes;
}

std::string shown_path(const std::string& path) {
  return path == kStandardInput ? "standard input" : path;
}

bool looks_like_utf16(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) ||
         bytes.starts_with("\0\0\xfe\xff"sv);
}

void check_is_text(std::string_view bytes, const std::string& path) {
  if (looks_like_utf16(bytes))
    throw DataError(
        path, 1, 1,
        "this is UTF-16 or UTF-32; UTF-8 was expected (convert it: iconv -f UTF-16 -t UTF-8)");
  const size_t zero = bytes.find('\0');
  if (zero == std::string_view::npos) return;
  if (const std::string format = core::format_text(bytes); !format.empty())
    throw DataError(path, format + ", and UTF-8 text was expected");
  const std::string_view before = bytes.substr(0, zero);
  const int64_t line = std::count(before.begin(), before.end(), '\n') + 1;
  throw DataError(
      path, line, 0,
      "a binary file (a NUL byte at offset " + std::to_string(zero) + "); UTF-8 text was expected");
}

bool ends_lines_by_cr(std::string_view text) {
  return text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos;
}

LineWalker::LineWalker(std::string_view text)
    : rest_(text), end_(ends_lines_by_cr(text) ? '\r' : '\n') {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool LineWalker::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const size_t end = rest_.find(end_);
  line = rest_.substr(0, end);
  const bool terminated = end != std::string_view::npos;
  rest_.remove_prefix(terminated ? end + 1 : rest_.size());
  if (terminated && line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

int64_t count_lines(std::string_view text) {
  LineWalker walker(text);
  std::string_view line;
  while (walker.next(line)) {
  }
  return walker.number();
}

}  // namespace attend::data
