#include "attend/data/archive.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "attend/core/counted.h"
#include "attend/core/errors.h"
#include "attend/core/zip.h"

namespace attend::data {
namespace {

using core::ZipEntry;

constexpr size_t kListed = 10;
constexpr size_t kBlock = 512;  // of tar

std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

/// Not a folder, and none of those that come by themselves.
bool is_content(std::string_view name) {
  if (name.ends_with('/') || name.starts_with("__MACOSX/")) return false;
  const std::string_view base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  return !base.starts_with('.') && base != "_about.txt" && lower(base) != "thumbs.db";
}

bool is_text_name(std::string_view name) {
  const std::string base = lower(name);
  return base.ends_with(".txt") || base.ends_with(".tsv");
}

std::string list(const std::vector<ZipEntry*>& entries) {
  std::string names;
  for (size_t i = 0; i < entries.size() && i < kListed; ++i)
    names += (i == 0 ? "" : ", ") + entries[i]->name;
  if (entries.size() > kListed)
    names += " and " + std::to_string(entries.size() - kListed) + " more";
  return names;
}

struct Document {
  std::string_view member;  ///< that gives it away, or the end of its name
  const char* says;
};

constexpr std::array kDocuments = {
    Document{"xl/workbook.xml",
             "this is an Excel workbook (.xlsx): save it as tab-separated text in UTF-8"},
    Document{"xl/workbook.bin",
             "this is an Excel workbook (.xlsb): save it as tab-separated text in UTF-8"},
    Document{"word/document.xml", "this is a Word document (.docx): save it as plain text"},
    Document{"ppt/presentation.xml", "this is a PowerPoint document (.pptx): save its text"},
    Document{"META-INF/manifest.xml",
             "this is an OpenDocument file (.ods, .odt): save it as tab-separated text in UTF-8"},
    Document{"META-INF/container.xml", "this is an e-book (.epub), and text was expected"},
    Document{"META-INF/MANIFEST.MF", "this is a Java archive, and text was expected"},
    Document{"/data.pkl", "this is a PyTorch checkpoint, and text was expected"},
};

/// Throws when the members are those of a document.
void check_is_archive(const std::vector<ZipEntry>& entries, const std::string& path) {
  for (const Document& document : kDocuments)
    for (const ZipEntry& entry : entries)
      if (entry.name == document.member ||
          (document.member.starts_with('/') && entry.name.ends_with(document.member)))
        throw DataError(path, document.says);
  const bool arrays =
      !entries.empty() && std::all_of(entries.begin(), entries.end(),
                                      [](const ZipEntry& e) { return e.name.ends_with(".npy"); });
  if (arrays) throw DataError(path, "these are NumPy arrays (.npz), and text was expected");
}

std::string the_text_of(std::vector<ZipEntry> entries, const std::string& path) {
  std::vector<ZipEntry*> content, texts;
  for (ZipEntry& entry : entries) {
    if (!is_content(entry.name)) continue;
    content.push_back(&entry);
    if (is_text_name(entry.name)) texts.push_back(&entry);
  }
  if (texts.size() == 1) return std::move(texts.front()->bytes);
  if (content.size() == 1) return std::move(content.front()->bytes);
  if (content.empty()) throw DataError(path, "the archive holds no text");
  const bool several = texts.size() > 1;
  const auto n = static_cast<int64_t>(several ? texts.size() : content.size());
  throw DataError(path, "the archive holds " + core::counted(n, several ? "text" : "file") +
                            ", and one was expected; unpack it and name one, or two as source and "
                            "target: " +
                            list(several ? texts : content));
}

/// A field of octal digits, blanks and zero bytes around it; negative for anything else.
int64_t octal(std::string_view field) {
  int64_t value = 0;
  bool any = false;
  for (const char c : field) {
    if (c == ' ' || c == '\0') {
      if (any) break;
      continue;
    }
    if (c < '0' || c > '7') return -1;
    value = value * 8 + (c - '0');
    any = true;
  }
  return any ? value : -1;
}

std::string_view until_zero(std::string_view field) { return field.substr(0, field.find('\0')); }

}  // namespace

std::string text_of_zip(std::string_view bytes, const std::string& path) {
  std::vector<ZipEntry> entries = core::read_zip(bytes, path);
  check_is_archive(entries, path);
  return the_text_of(std::move(entries), path);
}

bool looks_like_tar(std::string_view bytes) {
  return bytes.size() >= kBlock && bytes.substr(257, 5) == "ustar";
}

// POSIX.1-1988: a block of header, then the data in whole blocks. Of a long name's own member
// (types L, x and g) nothing is kept, so that such a file goes by its cut name.
std::string text_of_tar(std::string_view bytes, const std::string& path) {
  std::vector<ZipEntry> entries;
  for (size_t at = 0; at + kBlock <= bytes.size() && bytes[at] != '\0';) {
    const std::string_view header = bytes.substr(at, kBlock);
    const int64_t size = octal(header.substr(124, 12));
    at += kBlock;
    if (size < 0 || static_cast<uint64_t>(size) > bytes.size() - at)
      throw DataError(path, "the tar archive is damaged or cut short");
    const char type = header[156];
    if (type == '0' || type == '\0')
      entries.push_back({std::string(until_zero(header.substr(0, 100))),
                         std::string(bytes.substr(at, static_cast<size_t>(size)))});
    at += (static_cast<size_t>(size) + kBlock - 1) / kBlock * kBlock;
  }
  return the_text_of(std::move(entries), path);
}

}  // namespace attend::data
