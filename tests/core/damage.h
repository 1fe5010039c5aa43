// Every truncation and every flipped bit of a file, for readers that have to refuse or bear them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "attend/core/errors.h"

namespace attend::core::testing {

/// Copies to a buffer of exactly that size, so that a sanitizer sees a read beyond the end.
template <class Read>
void read_exactly(std::string_view bytes, const Read& read) {
  const std::vector<char> copy(bytes.begin(), bytes.end());
  read(std::string_view(copy.data(), copy.size()));
}

/// Calls read(first n bytes) for every n below the size; each has to throw DataError.
template <class Read>
void expect_every_truncation_refused(const std::string& bytes, const Read& read) {
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW(read_exactly(std::string_view(bytes).substr(0, n), read), DataError)
        << "cut to " << n << " of " << bytes.size() << " bytes";
  }
}

/// Calls read() with every bit flipped in turn; it may succeed or throw DataError. Returns how many
/// were refused.
template <class Read>
int64_t refused_bit_flips(const std::string& bytes, const Read& read) {
  int64_t refused = 0;
  std::string damaged = bytes;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    damaged[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    try {
      read_exactly(damaged, read);
    } catch (const DataError&) {
      ++refused;
    }
    damaged[bit / 8] = bytes[bit / 8];
  }
  return refused;
}

}  // namespace attend::core::testing
