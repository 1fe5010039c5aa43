// What the fuzzers share: input as text, and the one kind of failure that a reader may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "attend/core/errors.h"

namespace attend::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Stops the fuzzer with its input: a property does not hold.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// A reader may refuse its input with DataError. Whatever else it throws ends the fuzzer.
template <class Read>
void may_refuse(const Read& read) {
  try {
    read();
  } catch (const DataError& error) {
    require(error.what()[0] != '\0');
  }
}

}  // namespace attend::fuzz
