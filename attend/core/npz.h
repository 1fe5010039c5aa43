// NumPy's .npy and .npz, for matrices that come from or go to Python.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attend::core {

struct NpyArray {
  std::string name;            ///< without ".npy"
  std::vector<int64_t> shape;  ///< row-major
  std::vector<float> values;   ///< float16/32/64, integers and bool are converted
};

/// Numeric little-endian arrays, C or Fortran order; never a pickle. Throws DataError(path).
std::vector<NpyArray> read_npz(std::string_view bytes, const std::string& path);
NpyArray read_npy(std::string_view bytes, const std::string& path);
std::string write_npy(const NpyArray& array);  ///< float32, C order
std::string write_npz(const std::vector<NpyArray>& arrays);

}  // namespace attend::core
