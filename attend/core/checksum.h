// A checksum for large files: fast enough to be taken whenever weights are read or written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attend::core {

/// XXH64 with seed 0 (Collet, xxHash's specification, "XXH64 algorithm description"), piece by
/// piece: the value hangs on the bytes and not on how they were cut. Finds accidents, no forgery.
class Checksum {
 public:
  void add(std::string_view bytes);
  uint64_t value() const;
  /// value() as 16 hex digits.
  std::string text() const;

 private:
  static constexpr size_t kBlock = 32;

  void add_blocks(const char* data, size_t blocks);

  std::array<uint64_t, 4> lanes_ = {0x60EA27EEADC0B5D6ull, 0xC2B2AE3D27D4EB4Full, 0,
                                    0x61C8864E7A143579ull};
  uint64_t length_ = 0;
  std::array<char, kBlock> rest_{};  // length_ % kBlock bytes that fill no block yet
};

}  // namespace attend::core
