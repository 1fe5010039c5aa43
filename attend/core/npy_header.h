// Private to core: the header of a .npy file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attend::core::detail {

struct NpyHeader {
  std::string descr;  ///< such as "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
  size_t data = 0;  ///< where the data begin
};

/// Throws DataError(path).
NpyHeader parse_npy_header(std::string_view bytes, const std::string& path);

}  // namespace attend::core::detail
