// Private to core: what reading and writing safetensors share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace attend::core::detail {

constexpr uint64_t kLargestHeader = 100'000'000;  // the limit of the Rust and Python package

/// Bytes of one element, 0 for a dtype we don't know.
size_t element_size(std::string_view dtype);

/// Bytes of a tensor; nothing when a size is negative or the product exceeds 64 bits.
std::optional<uint64_t> byte_count(const std::vector<int64_t>& shape, size_t element);

}  // namespace attend::core::detail
