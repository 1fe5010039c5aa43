// The safetensors format: 8 bytes of little-endian header length, a JSON header, then the data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attend::core {

struct TensorView {
  std::string name;
  std::string dtype;  ///< "F32", "F64", "I64", "I32", "U8", "BF16", "F16", "BOOL"
  std::vector<int64_t> shape;
  std::string_view bytes;  ///< row-major, little-endian; points into the file's bytes
};

struct Safetensors {
  std::vector<TensorView> tensors;              ///< in the order of their data
  std::map<std::string, std::string> metadata;  ///< "__metadata__"

  const TensorView* find(std::string_view name) const;
};

/// read_file() of a safetensors file, which refuses what is none by its first bytes, however long
/// it says to be, and names what it is instead: an HTML page, a ZIP archive.
std::string read_safetensors_bytes(const std::string& path);

/// Checks everything (lengths, overlaps, holes, sizes against shape and dtype, duplicate names)
/// before it returns views into `bytes`, which has to outlive them. Throws DataError(path).
Safetensors parse_safetensors(std::string_view bytes, const std::string& path);

/// A file with the tensors in the given order, readable by the Python package. The data begin at a
/// multiple of 8 and, as the format wants, without holes: a tensor after one of a narrower dtype
/// may be misaligned, so copy elements out. Throws InvalidArgument (a name twice, sizes that do not
/// fit the shape, text that is not UTF-8).
std::string serialize_safetensors(const std::vector<TensorView>& tensors,
                                  const std::map<std::string, std::string>& metadata);

}  // namespace attend::core
