#include "attend/core/npz.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "attend/core/errors.h"
#include "attend/core/little_endian.h"
#include "attend/core/npy_header.h"
#include "attend/core/shape.h"
#include "attend/core/zip.h"

namespace attend::core {
namespace {

using detail::load_little;

// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits.
float from_half(uint16_t half) {
  const float sign = (half & 0x8000u) ? -1.0f : 1.0f;
  const int exponent = (half >> 10) & 0x1F;
  const uint32_t fraction = half & 0x3FFu;
  if (exponent == 31) {
    const uint32_t bits = (uint32_t{half & 0x8000u} << 16) | 0x7F800000u | (fraction << 13);
    return std::bit_cast<float>(bits);
  }
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1.0p-24f;
  const uint32_t bits = static_cast<uint32_t>(exponent + 112) << 23 | (fraction << 13);
  return sign * std::bit_cast<float>(bits);
}

// How one element becomes a float, and its size.
struct Element {
  size_t size;
  float (*read)(std::string_view bytes, size_t at);
};

template <class Integer>
float read_integer(std::string_view bytes, size_t at) {
  return static_cast<float>(static_cast<Integer>(load_little(bytes, at, sizeof(Integer))));
}

template <class Integer>
Element integer_element() {
  return {sizeof(Integer), read_integer<Integer>};
}

std::optional<Element> find_element(const std::string& descr) {
  if (descr == "<f4") {
    return Element{4, [](std::string_view bytes, size_t at) {
                     return std::bit_cast<float>(static_cast<uint32_t>(load_little(bytes, at, 4)));
                   }};
  }
  if (descr == "<f8") {
    return Element{8, [](std::string_view bytes, size_t at) {
                     return static_cast<float>(std::bit_cast<double>(load_little(bytes, at, 8)));
                   }};
  }
  if (descr == "<f2") {
    return Element{2, [](std::string_view bytes, size_t at) {
                     return from_half(static_cast<uint16_t>(load_little(bytes, at, 2)));
                   }};
  }
  if (descr == "|b1") {
    return Element{1, [](std::string_view bytes, size_t at) { return bytes[at] ? 1.0f : 0.0f; }};
  }
  if (descr == "|i1" || descr == "<i1") return integer_element<int8_t>();
  if (descr == "|u1" || descr == "<u1") return integer_element<uint8_t>();
  if (descr == "<i2") return integer_element<int16_t>();
  if (descr == "<u2") return integer_element<uint16_t>();
  if (descr == "<i4") return integer_element<int32_t>();
  if (descr == "<u4") return integer_element<uint32_t>();
  if (descr == "<i8") return integer_element<int64_t>();
  if (descr == "<u8") return integer_element<uint64_t>();
  return {};
}

Element element_of(const std::string& descr, const std::string& path) {
  if (const auto element = find_element(descr)) return *element;
  if (descr.find('O') != std::string::npos) {
    throw DataError(path, "the NumPy array holds Python objects, which are pickled and never read");
  }
  if (!descr.empty() && descr[0] == '>') {
    throw DataError(path, "the NumPy array is big-endian ('" + descr +
                              "'); save it with .astype(\"<\" + dtype)");
  }
  throw DataError(path,
                  "expected a NumPy array of numbers, found elements of type '" + descr + "'");
}

// Elements of the shape; nothing when that exceeds 64 bits.
std::optional<uint64_t> count_of(const std::vector<int64_t>& shape) {
  uint64_t count = 1;
  for (const int64_t n : shape) {
    if (n < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(n), &count)) return {};
  }
  return count;
}

void check_size(const detail::NpyHeader& header, size_t element, std::string_view data,
                const std::string& path) {
  const auto count = count_of(header.shape);
  uint64_t expected = 0;
  const bool countable = count && !__builtin_mul_overflow(*count, uint64_t{element}, &expected);
  if (countable && expected == data.size()) return;
  throw DataError(path, "expected " + (countable ? std::to_string(expected) : "countless") +
                            " bytes for '" + header.descr + "' " + shape_text(header.shape) +
                            ", found " + std::to_string(data.size()));
}

// "[1, 0]" of the n-th element as it lies in the file.
std::string index_text(const detail::NpyHeader& header, size_t n) {
  std::vector<size_t> index(header.shape.size(), 0);
  for (size_t d = 0; d < index.size(); ++d) {
    const size_t at = header.fortran_order ? d : index.size() - 1 - d;
    index[at] = n % static_cast<size_t>(header.shape[at]);
    n /= static_cast<size_t>(header.shape[at]);
  }
  std::string text;
  for (const size_t i : index) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return "[" + text + "]";
}

// Infinities are kept; a finite number that a float does not hold would only look like one.
void check_range(const detail::NpyHeader& header, std::string_view data, const std::string& path) {
  if (header.descr != "<f8") return;
  for (size_t n = 0; n < data.size() / 8; ++n) {
    const auto value = std::bit_cast<double>(load_little(data, 8 * n, 8));
    if (!std::isfinite(value) || std::abs(value) < 0x1.ffffffp127) continue;
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", value);
    throw DataError(path, std::string("the number ") + digits + " at " + index_text(header, n) +
                              " is too large; the largest is 3.4e38");
  }
}

// In Fortran order the first index runs fastest. Walks the source in order; `step` is what one step
// of each index means in row-major order.
void read_fortran(NpyArray& array, const Element& element, std::string_view data) {
  if (array.values.empty()) return;
  const size_t rank = array.shape.size();
  std::vector<int64_t> index(rank, 0), step(rank, 1);
  for (size_t d = rank; d-- > 1;) step[d - 1] = step[d] * array.shape[d];
  int64_t to = 0;
  for (size_t i = 0; i < array.values.size(); ++i) {
    array.values[static_cast<size_t>(to)] = element.read(data, i * element.size);
    for (size_t d = 0; d < rank; ++d) {
      to += step[d];
      if (++index[d] < array.shape[d]) break;
      to -= step[d] * index[d];
      index[d] = 0;
    }
  }
}

}  // namespace

NpyArray read_npy(std::string_view bytes, const std::string& path) {
  const detail::NpyHeader header = detail::parse_npy_header(bytes, path);
  const Element element = element_of(header.descr, path);
  const std::string_view data = bytes.substr(header.data);
  check_size(header, element.size, data, path);
  check_range(header, data, path);
  NpyArray array;
  array.shape = header.shape;
  array.values.resize(data.size() / element.size);
  if (header.fortran_order) {
    read_fortran(array, element, data);
    return array;
  }
  for (size_t i = 0; i < array.values.size(); ++i) {
    array.values[i] = element.read(data, i * element.size);
  }
  return array;
}

std::vector<NpyArray> read_npz(std::string_view bytes, const std::string& path) {
  std::vector<NpyArray> arrays;
  for (const auto& entry : read_zip(bytes, path)) {
    if (!entry.name.ends_with(".npy")) {
      throw DataError(path, "expected NumPy arrays (.npy) in it, found '" + entry.name + "'");
    }
    arrays.push_back(read_npy(entry.bytes, path + "/" + entry.name));
    arrays.back().name = entry.name.substr(0, entry.name.size() - 4);
  }
  return arrays;
}

std::string write_npy(const NpyArray& array) {
  const auto count = count_of(array.shape);
  if (!count || *count != array.values.size()) {
    throw InvalidArgument("[npy] expected the values of " + shape_text(array.shape) + ", found " +
                          std::to_string(array.values.size()));
  }
  // Python writes a tuple of one element with a comma.
  std::string shape = shape_text(array.shape);
  if (array.shape.size() == 1) shape.insert(shape.size() - 1, ",");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  // Data begin at a multiple of 64, after a line end.
  constexpr size_t kBefore = 10;
  header.append((64 - (kBefore + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  if (header.size() > 65535) throw InvalidArgument("[npy] too many dimensions");
  std::string out = "\x93NUMPY";
  out += {'\x01', '\x00'};
  detail::append_little(out, header.size(), 2);
  out += header;
  for (const float value : array.values) {
    detail::append_little(out, std::bit_cast<uint32_t>(value), 4);
  }
  return out;
}

std::string write_npz(const std::vector<NpyArray>& arrays) {
  std::vector<ZipEntry> entries;
  for (const auto& array : arrays) entries.push_back({array.name + ".npy", write_npy(array)});
  return write_zip(entries);
}

}  // namespace attend::core
