#include "attend/data/text_bytes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/core/errors.h"
#include "attend/core/files.h"
#include "attend/core/zip.h"

namespace attend::data {
namespace {

using std::literals::string_view_literals::operator""sv;

bool is_text_member(std::string_view name) {
  if (name.starts_with("__MACOSX/")) return false;
  const std::string_view base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  if (base.starts_with(".") || base == "_about.txt") return false;
  return base.ends_with(".txt") || base.ends_with(".tsv");
}

std::string the_text_of(std::vector<core::ZipEntry> entries, const std::string& path) {
  core::ZipEntry* found = nullptr;
  std::string names;
  int64_t texts = 0;
  for (core::ZipEntry& entry : entries) {
    if (!is_text_member(entry.name)) continue;
    found = &entry;
    names += (texts++ == 0 ? "" : ", ") + entry.name;
  }
  if (texts == 0) throw DataError(path, "the archive holds no text (.txt or .tsv)");
  if (texts > 1)
    throw DataError(path, "the archive holds " + std::to_string(texts) +
                              " texts, and one was expected; unpack it and name one: " + names);
  return std::move(found->bytes);
}

}  // namespace

std::string unpack(std::string bytes, const std::string& path) {
  if (bytes.starts_with("\x1f\x8b"sv)) return core::gunzip(bytes, path);
  if (bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv))
    return the_text_of(core::read_zip(bytes, path), path);
  return bytes;
}

std::string read_text_bytes(const std::string& path) { return unpack(core::read_file(path), path); }

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
  const std::string_view before = bytes.substr(0, zero);
  const int64_t line = std::count(before.begin(), before.end(), '\n') + 1;
  throw DataError(
      path, line, 0,
      "a binary file (a NUL byte at offset " + std::to_string(zero) + "); UTF-8 text was expected");
}

LineWalker::LineWalker(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool LineWalker::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const size_t end = rest_.find('\n');
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
