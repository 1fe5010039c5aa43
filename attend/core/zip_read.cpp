// The central directory says what is in a ZIP file; local headers only tell where data begin.
// Layout: PKWARE's APPNOTE.TXT 6.3, sections 4.3 to 4.5.
#include <zlib.h>

#include <algorithm>
#include <optional>

#include "attend/core/errors.h"
#include "attend/core/inflate.h"
#include "attend/core/little_endian.h"
#include "attend/core/zip.h"

namespace attend::core {
namespace {

using detail::load_little;

constexpr uint64_t kEndSignature = 0x06054B50, kEnd64Signature = 0x06064B50;
constexpr uint64_t kLocator64Signature = 0x07064B50;
constexpr uint64_t kCentralSignature = 0x02014B50, kLocalSignature = 0x04034B50;
constexpr size_t kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
constexpr size_t kCentralSize = 46, kLocalSize = 30;
constexpr uint64_t kIn64 =
    0xFFFFFFFF;  // a 32-bit field whose value stands in the ZIP64 extra field

struct Directory {
  uint64_t entries, size, offset;
  size_t end;  // where it ends in the file
};

struct Member {
  std::string name;
  uint64_t flags, method, crc, compressed, size, local;
};

class ZipReader {
 public:
  ZipReader(std::string_view archive, const std::string& path, size_t limit)
      : bytes_(archive), path_(path), limit_(limit) {}

  std::vector<ZipEntry> read() {
    const Directory directory = find_directory();
    if (directory.size > directory.end) refuse("its directory is larger than the file");
    const uint64_t begin = directory.end - directory.size;
    // What stands before the archive (a self-extracting program) shifts all offsets.
    if (directory.offset > begin) refuse("its directory lies outside the file");
    shift_ = begin - directory.offset;
    at_ = begin;
    end_ = directory.end;
    std::vector<ZipEntry> entries;
    for (uint64_t i = 0; i < directory.entries; ++i) {
      const Member member = next_member();
      entries.push_back({member.name, extract(member)});
      total_ += entries.back().bytes.size();
    }
    if (at_ != end_) refuse("its directory has more entries than it says");
    return entries;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw DataError(path_, "the ZIP file can't be read: " + message);
  }

  uint64_t load(uint64_t at, size_t width) const { return load_little(bytes_, at, width); }
  bool holds(uint64_t at, uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }

  // The end record is the last thing but for a comment, whose length has to fit.
  Directory find_directory() const {
    if (bytes_.size() < kEndSize) refuse("expected at least 22 bytes");
    const size_t last = bytes_.size() - kEndSize;
    const size_t first = last - std::min<size_t>(last, 65535);
    for (size_t at = last + 1; at-- > first;) {
      if (load(at, 4) == kEndSignature && load(at + 20, 2) == bytes_.size() - at - kEndSize) {
        return directory_at(at);
      }
    }
    refuse("it has no directory, so it is cut short or no ZIP file");
  }

  Directory directory_at(size_t at) const {
    if (at >= kLocator64Size && load(at - kLocator64Size, 4) == kLocator64Signature) {
      return directory64(at - kLocator64Size);
    }
    if (load(at + 4, 2) != 0 || load(at + 6, 2) != 0) refuse("it is one of several disks");
    return {load(at + 10, 2), load(at + 12, 4), load(at + 16, 4), at};
  }

  Directory directory64(size_t locator) const {
    // Stands right before its locator; the offset in the locator knows nothing of a shift.
    if (locator < kEnd64Size || load(locator - kEnd64Size, 4) != kEnd64Signature) {
      refuse("its ZIP64 record is not where it should be");
    }
    const size_t at = locator - kEnd64Size;
    if (load(at + 16, 4) != 0 || load(at + 20, 4) != 0) refuse("it is one of several disks");
    return {load(at + 32, 8), load(at + 40, 8), load(at + 48, 8), at};
  }

  Member next_member() {
    if (end_ - at_ < kCentralSize || load(at_, 4) != kCentralSignature) {
      refuse("its directory is damaged");
    }
    Member member;
    member.flags = load(at_ + 8, 2);
    member.method = load(at_ + 10, 2);
    member.crc = load(at_ + 16, 4);
    member.compressed = load(at_ + 20, 4);
    member.size = load(at_ + 24, 4);
    member.local = load(at_ + 42, 4);
    const uint64_t name = load(at_ + 28, 2), extra = load(at_ + 30, 2), comment = load(at_ + 32, 2);
    if (name + extra + comment > end_ - at_ - kCentralSize) refuse("its directory is damaged");
    member.name = bytes_.substr(at_ + kCentralSize, name);
    widen(member, at_ + kCentralSize + name, extra);
    at_ += kCentralSize + name + extra + comment;
    return member;
  }

  // ZIP64's extra field (id 1) holds, in this order, those of the three values that did not fit.
  void widen(Member& member, uint64_t at, uint64_t size) const {
    const uint64_t end = at + size;
    while (end - at >= 4) {
      const uint64_t id = load(at, 2), length = load(at + 2, 2);
      at += 4;
      if (length > end - at) refuse("'" + member.name + "' has a damaged extra field");
      if (id == 1) {
        uint64_t field = at;
        for (uint64_t* value : {&member.size, &member.compressed, &member.local}) {
          if (*value != kIn64) continue;
          if (at + length - field < 8) refuse("'" + member.name + "' has a damaged ZIP64 field");
          *value = load(field, 8);
          field += 8;
        }
      }
      at += length;
    }
  }

  std::string_view data_of(const Member& member) const {
    uint64_t at = 0;
    const bool sum_fits = !__builtin_add_overflow(member.local, shift_, &at);
    if (!sum_fits || !holds(at, kLocalSize) || load(at, 4) != kLocalSignature) {
      refuse("'" + member.name + "' is not where the directory says");
    }
    const uint64_t begin = at + kLocalSize + load(at + 26, 2) + load(at + 28, 2);
    if (!holds(begin, member.compressed)) refuse("'" + member.name + "' lies outside the file");
    return bytes_.substr(begin, member.compressed);
  }

  std::string extract(const Member& member) const {
    if (member.flags & 1) refuse("'" + member.name + "' is encrypted");
    if (member.method != 0 && member.method != 8) {
      refuse("'" + member.name + "' is compressed by method " + std::to_string(member.method) +
             ", only stored and deflated entries are read");
    }
    if (member.size > limit_ - total_) {
      refuse("it inflates to more than the limit of " + std::to_string(limit_) + " bytes");
    }
    const std::string_view data = data_of(member);
    std::string out;
    if (member.method == 0) {
      out = data;
    } else {
      const std::string what = "'" + member.name + "' of the ZIP file";
      const size_t used =
          detail::inflate_onto(out, data, detail::Wrapper::kNone, member.size, path_, what);
      if (used != data.size()) refuse("'" + member.name + "' has other bytes after its data");
    }
    check(member, out);
    return out;
  }

  void check(const Member& member, const std::string& out) const {
    if (out.size() != member.size) {
      refuse("'" + member.name + "' has " + std::to_string(out.size()) +
             " bytes, its directory says " + std::to_string(member.size));
    }
    const auto* data = reinterpret_cast<const unsigned char*>(out.data());
    if (crc32_z(0, data, out.size()) != member.crc) {
      refuse("'" + member.name + "' is damaged (its CRC differs)");
    }
  }

  std::string_view bytes_;
  const std::string& path_;
  size_t limit_;
  size_t total_ = 0;
  uint64_t shift_ = 0, at_ = 0, end_ = 0;
};

}  // namespace

std::vector<ZipEntry> read_zip(std::string_view archive, const std::string& path, size_t limit) {
  return ZipReader(archive, path, limit).read();
}

}  // namespace attend::core
