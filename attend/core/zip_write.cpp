#include <zlib.h>

#include "attend/core/errors.h"
#include "attend/core/little_endian.h"
#include "attend/core/zip.h"

namespace attend::core {
namespace {

using detail::append_little;

constexpr uint64_t kVersion = 20, kUtf8Names = 1 << 11;
constexpr uint64_t kDate = 0x0021;  // 1980-01-01, the first that the format can say

// The fields that a local and a central header share, from the version on.
void append_common(std::string& out, const ZipEntry& entry) {
  const auto* data = reinterpret_cast<const unsigned char*>(entry.bytes.data());
  append_little(out, kVersion, 2);
  append_little(out, kUtf8Names, 2);
  append_little(out, 0, 2);  // stored
  append_little(out, 0, 2);  // midnight
  append_little(out, kDate, 2);
  append_little(out, crc32_z(0, data, entry.bytes.size()), 4);
  append_little(out, entry.bytes.size(), 4);
  append_little(out, entry.bytes.size(), 4);
  append_little(out, entry.name.size(), 2);
  append_little(out, 0, 2);  // no extra field
}

void append_central(std::string& out, const ZipEntry& entry, uint64_t local) {
  append_little(out, 0x02014B50, 4);
  append_little(out, kVersion, 2);
  append_common(out, entry);
  append_little(out, 0, 2);  // comment
  append_little(out, 0, 2);  // disk
  append_little(out, 0, 2);  // internal attributes
  append_little(out, 0, 4);  // external attributes
  append_little(out, local, 4);
  out += entry.name;
}

void check_sizes(const std::vector<ZipEntry>& entries) {
  uint64_t total = 22;
  for (const auto& entry : entries) {
    if (entry.name.size() > 65535) throw InvalidArgument("[zip] a name exceeds 65535 bytes");
    total += 30 + 46 + 2 * entry.name.size() + entry.bytes.size();
  }
  if (entries.size() >= 65535 || total >= 0xFFFFFFFF) {
    throw InvalidArgument("[zip] expected less than 4 GiB and 65535 entries, found " +
                          std::to_string(total) + " bytes and " + std::to_string(entries.size()));
  }
}

}  // namespace

std::string write_zip(const std::vector<ZipEntry>& entries) {
  check_sizes(entries);
  std::string out, central;
  for (const auto& entry : entries) {
    append_central(central, entry, out.size());
    append_little(out, 0x04034B50, 4);
    append_common(out, entry);
    out += entry.name;
    out += entry.bytes;
  }
  const uint64_t offset = out.size();
  out += central;
  append_little(out, 0x06054B50, 4);
  append_little(out, 0, 4);  // the one disk
  append_little(out, entries.size(), 2);
  append_little(out, entries.size(), 2);
  append_little(out, central.size(), 4);
  append_little(out, offset, 4);
  append_little(out, 0, 2);  // comment
  return out;
}

}  // namespace attend::core
