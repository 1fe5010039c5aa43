// Reading (and, stored, writing) ZIP archives: manythings' downloads and NumPy's .npz are such.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend::core {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// Every entry, stored or deflated, CRC-checked. `limit`: refuses to inflate beyond so many bytes
/// in all. Throws DataError(path) for anything damaged, encrypted or ZIP64 beyond what fits.
std::vector<ZipEntry> read_zip(std::string_view archive, const std::string& path,
                               size_t limit = size_t{4} << 30);

/// An archive of stored (uncompressed) entries with a fixed time stamp: equal input, equal bytes.
std::string write_zip(const std::vector<ZipEntry>& entries);

/// Inflates gzip (several members too). Throws DataError(path) when it is damaged or cut short.
std::string gunzip(std::string_view bytes, const std::string& path, size_t limit = size_t{4} << 30);

}  // namespace attend::core
